use rspirv::binary::Disassemble;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rd = |p: &str| std::fs::read_to_string(p).unwrap();
    let t = std::time::Instant::now();
    let c = bv_gpu::front::glslang::compile(&rd(&a[1]), &rd(&a[2]));
    for s in &c.stages {
        eprintln!("ok {} log {}", s.ok, s.log);
        if a.len() > 3 {
            println!("{}", s.preprocessed)
        }
    }
    eprintln!("link {:?} {:?}", c.link_log, t.elapsed());
    if let Some(s) = c.spirv {
        for mut w in s {
            if w.is_empty() {
                println!("EMPTY");
                continue;
            }
            w[1] = 0x10000;
            match rspirv::dr::load_words(&w) {
                Ok(m) => println!("{}", m.disassemble()),
                Err(e) => println!("{e}"),
            }
        }
    }
}
