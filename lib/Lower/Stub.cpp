#include "Lowering.h"
namespace onnxc {
void populateIndexing(Lowerings &lowerings){}
void populateMovement(Lowerings &lowerings){}
void populateNormalization(Lowerings &lowerings){}
void populatePooling(Lowerings &lowerings){}
void populateReduction(Lowerings &lowerings){}
void populateReshape(Lowerings &lowerings){}
void populateShape(Lowerings &lowerings){}
}
