// RUN: onnx-mlir-opt %s --onnxc-skip-idle-loops | FileCheck %s

// The outermost loop tells all: the inner ones stay as they are.
// CHECK-LABEL: func @nest
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index,
// CHECK: %[[ZERO:.*]] = arith.constant 0
// CHECK: %[[RUNS_B:.*]] = arith.cmpi slt, %[[ZERO]], %[[B]]
// CHECK: %[[RUNS_C:.*]] = arith.cmpi slt, %[[ZERO]], %[[C]]
// CHECK: %[[RUNS:.*]] = arith.andi %[[RUNS_B]], %[[RUNS_C]]
// CHECK: %[[END:.*]] = arith.select %[[RUNS]], %[[A]], %[[ZERO]]
// CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[END]]
// CHECK-NEXT: scf.for %{{.*}} = %[[ZERO]] to %[[B]]
// CHECK-NEXT: scf.for %{{.*}} = %[[ZERO]] to %[[C]]
func.func @nest(%a: index, %b: index, %c: index, %to: memref<?x?x?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %a step %one {
    scf.for %j = %zero to %b step %one {
      scf.for %k = %zero to %c step %one {
        memref.store %x, %to[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// Bounds that are computed inside, without the outer variable; one of two loops
// in a row may run.
// CHECK-LABEL: func @computed
// CHECK: %[[BOUND:.*]] = arith.muli %arg1, %arg2
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %{{.*}}, %[[BOUND]]
// CHECK: %[[SECOND:.*]] = arith.cmpi slt, %[[BOUND]], %arg2
// CHECK: %[[RUNS:.*]] = arith.ori %[[FIRST]], %[[SECOND]]
// CHECK: %[[END:.*]] = arith.select %[[RUNS]], %arg0
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func @computed(%a: index, %b: index, %c: index, %to: memref<?x?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %a step %one {
    %bound = arith.muli %b, %c : index
    scf.for %j = %zero to %bound step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
    scf.for %j = %bound to %c step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// What the outer variable bounds is known inside only: there the next loop ends.
// CHECK-LABEL: func @tiles
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %arg1
// CHECK: %[[END:.*]] = arith.select %[[RUNS]], %arg0
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[END]]
// CHECK: %[[SIZE:.*]] = arith.subi %arg0, %[[I]]
// CHECK: %[[INNER:.*]] = arith.select %{{.*}}, %[[SIZE]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[INNER]]
func.func @tiles(%a: index, %b: index, %to: memref<?x?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %a step %eight {
    %size = arith.subi %a, %i : index
    scf.for %j = %zero to %size step %one {
      scf.for %k = %zero to %b step %one {
        memref.store %x, %to[%j, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: func @unchanged
// CHECK-NOT: arith.select
func.func @unchanged(%a: index, %b: index, %c: index, %to: memref<?x?xf32>, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 64 : index
  // Few iterations.
  scf.for %i = %zero to %few step %one {
    scf.for %j = %zero to %b step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
  }
  // All inner sizes are known.
  scf.for %i = %zero to %a step %one {
    scf.for %j = %zero to %few step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
  }
  // An effect beside the inner loop.
  scf.for %i = %zero to %a step %one {
    memref.store %x, %to[%i, %zero] : memref<?x?xf32>
    scf.for %j = %one to %b step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
  }
  // A result.
  %sum = scf.for %i = %zero to %a step %one iter_args(%y = %x) -> f32 {
    scf.for %j = %zero to %b step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
    %z = arith.addf %y, %x : f32
    scf.yield %z : f32
  }
  return %sum : f32
}

// Known, but many iterations, together with those around them.
// CHECK-LABEL: func @many
// CHECK: scf.for %{{.*}} = %{{.*}} to %c1024
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %c1024
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func @many(%b: index, %to: memref<?x?x?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %most = arith.constant 1024 : index
  scf.for %h = %zero to %most step %one {
    scf.for %i = %zero to %most step %one {
      scf.for %j = %zero to %b step %one {
        memref.store %x, %to[%h, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// Behind an effect, loops are looked at by themselves.
// CHECK-LABEL: func @inside
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %arg0
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[FIRST]]
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %arg1
// CHECK: memref.store
// CHECK: %[[SECOND:.*]] = arith.select %{{.*}}, %arg0
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[SECOND]]
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %arg2
func.func @inside(%a: index, %b: index, %c: index, %to: memref<?x?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %a step %one {
    scf.for %j = %zero to %b step %one {
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
      scf.for %k = %zero to %a step %one {
        scf.for %l = %zero to %c step %one {
          memref.store %x, %to[%k, %l] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// A result that no inner loop changes; the memory that a row alone uses.
// CHECK-LABEL: func @results
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %arg0
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] {{.*}} iter_args
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %arg0
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK-NEXT: memref.store
func.func @results(%a: index, %b: index, %to: memref<?x?xf32>, %own: memref<f32> {onnxc.scratch}) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %a step %one iter_args(%x = %first) -> f32 {
    %middle = scf.for %j = %zero to %b step %one iter_args(%y = %x) -> f32 {
      %element = memref.load %to[%i, %j] : memref<?x?xf32>
      %z = arith.addf %y, %element : f32
      scf.yield %z : f32
    }
    %all = scf.for %j = %zero to %b step %one iter_args(%y = %middle) -> f32 {
      %z = arith.mulf %y, %y : f32
      scf.yield %z : f32
    }
    scf.yield %all : f32
  }
  scf.for %i = %zero to %a step %one {
    memref.store %first, %own[] : memref<f32>
    scf.for %j = %zero to %b step %one {
      %x = memref.load %own[] : memref<f32>
      memref.store %x, %to[%i, %j] : memref<?x?xf32>
    }
  }
  return %sum : f32
}

// A result that changes where the innermost loop does not run.
// CHECK-LABEL: func @counted
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %arg1
// CHECK-NEXT: arith.select %[[RUNS]], %arg0
func.func @counted(%a: index, %b: index, %c: index, %to: memref<?xf32>, %x: f32) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = scf.for %i = %zero to %a step %one iter_args(%n = %zero) -> index {
    %inner = scf.for %j = %zero to %b step %one iter_args(%m = %n) -> index {
      scf.for %k = %zero to %c step %one {
        memref.store %x, %to[%k] : memref<?xf32>
      }
      %next = arith.addi %m, %one : index
      scf.yield %next : index
    }
    scf.yield %inner : index
  }
  return %count : index
}

// Memory that is read behind the loop, or that others see.
// CHECK-LABEL: func @memory
// CHECK-NOT: onnxc.scratch
// CHECK-NOT: arith.select
func.func @memory(%a: index, %b: index, %to: memref<?x?xf32>, %own: memref<f32> {onnxc.scratch}, %other: memref<f32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = arith.constant 0.0 : f32
  scf.for %i = %zero to %a step %one {
    memref.store %first, %own[] : memref<f32>
    scf.for %j = %zero to %b step %one {
      memref.store %first, %to[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %zero to %a step %one {
    memref.store %first, %other[] : memref<f32>
    scf.for %j = %zero to %b step %one {
      memref.store %first, %to[%i, %j] : memref<?x?xf32>
    }
  }
  %x = memref.load %own[] : memref<f32>
  return %x : f32
}
