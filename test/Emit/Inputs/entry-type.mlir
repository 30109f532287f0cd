module attributes {onnxc.signature = #onnxc.signature<inputs = [], outputs = []>} {
  func.func @main_graph(%ctx: !llvm.ptr, %number: i64, %outputs: !llvm.ptr) -> i32 attributes {onnxc.entry} {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
