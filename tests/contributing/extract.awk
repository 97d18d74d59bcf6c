# Writes every ```cpp block whose first line is `// PATH` to OUT/PATH.
/^```cpp$/ { open = 1; next }
/^```$/ { if (file) close(file); open = 0; file = ""; next }
open == 1 { file = out "/" $2; open = 2; system("mkdir -p $(dirname " file ")"); printf "" > file; next }
open == 2 { print > file }
