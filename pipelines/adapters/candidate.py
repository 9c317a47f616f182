"""Makes a plain function a candidate of bv-gate.

    from candidate import serve

    def remainder(a, b):
        return a % b

    serve(remainder)

The function is called with the members of each input by their names, and what it returns is the output. What
it prints goes to stderr. An exception is answered with its type, its message and the place of the deepest
frame outside Python's own library.
"""
import json, os, sys, sysconfig, traceback

LIBRARIES = tuple(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "purelib", "platlib"))


def serve(function):
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            answer = json.dumps({"output": function(**json.loads(line))})
        except (Exception, SystemExit) as error:
            answer = json.dumps(exception(error))
        print(answer, file=answers, flush=True)


def exception(error):
    told = {"exception_type": type(error).__name__, "exception_msg": str(error)}
    frames = list(traceback.walk_tb(error.__traceback__))[1:]
    own = [(frame.f_code, line) for frame, line in frames if not frame.f_code.co_filename.startswith(LIBRARIES + ("<",))]
    if own:
        code, line = own[-1]
        told.update(file=code.co_filename, line=line, function=getattr(code, "co_qualname", code.co_name))
    return told
