#include "Header.h"
namespace onnxc {
void writeHeader(const ModelInfo &info, llvm::StringRef prefix,
                 llvm::raw_ostream &os) {
  os << "#include <onnxc/runtime.h>\n";
  os << "const onnxc_model *" << prefix << "_query(uint32_t);\n";
}
} // namespace onnxc
