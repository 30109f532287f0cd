//! digits IMAGE.pgm...: which digit each image of 28x28 pixels shows.
mod onnxc;

extern "C" {
    fn mnist_query(abi_version: u32) -> *const onnxc::Model;
}

fn read(session: &mut onnxc::Session, path: &str) -> Result<usize, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    if !bytes.starts_with(b"P5") || bytes.len() < 784 {
        return Err("not a PGM image of 28x28".into());
    }
    let pixels = &bytes[bytes.len() - 784..];
    let image: Vec<f32> = pixels.iter().map(|&p| (p as f32 / 255.0 - 0.1307) / 0.3081).collect();
    let scores = session.run(&image, &[1, 1, 28, 28])?;
    Ok((0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap())
}

fn main() -> Result<(), String> {
    let mut session = onnxc::Session::new(mnist_query)?;
    for path in std::env::args().skip(1) {
        let digit = read(&mut session, &path).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}: {digit}");
    }
    // What does not fit is an error, not a crash.
    println!("{}", session.run(&[0.0; 10], &[1, 10]).unwrap_err());
    Ok(())
}
