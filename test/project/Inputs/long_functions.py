"""Writes C++ with functions of 80 and of 81 lines, with and without a reason."""


def body(count, indent=""):
    return f"{indent}  if (x) {{\n" + f"{indent}    x();\n" * (count - 4) + f"{indent}  }}\n{indent}}}\n"


print("static void plain(int x) {\n" + body(81))
print("static void short(int x) {\n" + body(80))
print("/// What it does.\n/// Long: a table.\ntemplate <typename T>\nvoid reasoned(T x) {\n" + body(81))
print("std::optional<Value>\nA::member(int x) const {\n" + body(81))
print("class B {\n  void inClass() {\n" + body(81, "  ")
      + "\n  /// Long: a list.\n  void reasonedInClass() {\n" + body(81, "  ") + "};\n")
print('static const char text[] = R"(\nvoid inText() {\n' + body(90) + ')";\n')
print("/// Long: not any longer.\nvoid stale() {\n" + body(20))
