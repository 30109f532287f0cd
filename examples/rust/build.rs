//! MODEL_DIR is where `onnxc mnist.onnx -o libmnist.a --prefix=mnist` wrote the model.
fn main() {
    println!("cargo:rerun-if-env-changed=MODEL_DIR");
    let folder = std::env::var("MODEL_DIR").expect("MODEL_DIR: the folder of libmnist.a");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=mnist");
    println!("cargo:rustc-link-lib=m");
    println!("cargo:rerun-if-changed={folder}/libmnist.a");
}
