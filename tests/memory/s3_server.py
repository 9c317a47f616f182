#!/usr/bin/env python3
"""s3_server.py BUCKET: a server that speaks S3 (moto), on a free port of this machine alone.

Writes its address to stdout once it listens; ends when its stdin does, so that it never outlives the test
that started it. Nothing is kept: the bucket lies in memory. S3 decides a conditional put in one step;
moto looks first and writes then, so one request is served at a time.
"""

import os
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    def log_request(self, *_):
        pass


def main():
    s3_backends["123456789012"]["aws"].create_bucket(sys.argv[1], "us-east-1")
    moto = DomainDispatcherApplication(create_backend_app)
    one_at_a_time = threading.Lock()

    def serve(environ, start_response):
        with one_at_a_time:
            return list(moto(environ, start_response))

    server = make_server("127.0.0.1", 0, serve, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
