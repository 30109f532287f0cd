// Sequences, optionals and strings at the interface. `twice` and `other` extend
// the same sequence: neither may see the other's element.
module attributes {onnx.model_name = "sequences"} {
  func.func @main_graph(%s: !onnx.seq<tensor<?xf32>> {onnx.name = "s"},
                        %x: tensor<?xf32> {onnx.name = "x"},
                        %i: tensor<i64> {onnx.name = "i"},
                        %o: !onnx.opt<tensor<?x!onnx.string>> {onnx.name = "o"})
      -> (!onnx.seq<tensor<?xf32>> {onnx.name = "twice"},
          !onnx.seq<tensor<?xf32>> {onnx.name = "other"},
          tensor<?xf32> {onnx.name = "at"},
          !onnx.opt<tensor<?x!onnx.string>> {onnx.name = "same"},
          tensor<i1> {onnx.name = "has"}) attributes {onnx.entry} {
    %once = onnx.SequenceInsert(%s, %x, _) : (!onnx.seq<tensor<?xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
    %twice = onnx.SequenceInsert(%once, %x, _) : (!onnx.seq<tensor<?xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
    %neg = onnx.Neg(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %other = onnx.SequenceInsert(%once, %neg, _) : (!onnx.seq<tensor<?xf32>>, tensor<?xf32>) -> !onnx.seq<tensor<?xf32>>
    %at = onnx.SequenceAt(%s, %i) : (!onnx.seq<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
    %same = onnx.Identity(%o) : (!onnx.opt<tensor<?x!onnx.string>>) -> !onnx.opt<tensor<?x!onnx.string>>
    %has = onnx.OptionalHasElement(%o) : (!onnx.opt<tensor<?x!onnx.string>>) -> tensor<i1>
    return %twice, %other, %at, %same, %has : !onnx.seq<tensor<?xf32>>, !onnx.seq<tensor<?xf32>>, tensor<?xf32>, !onnx.opt<tensor<?x!onnx.string>>, tensor<i1>
  }
}
