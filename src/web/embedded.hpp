#pragma once
// The files of src/web/locales and src/web/assets, as they were when this was built. Private to web/.

#include <string_view>
#include <vector>

namespace muhur::web {

struct EmbeddedFile {
  std::string_view name;  // "locales/tr.txt"
  std::string_view content;
};

const std::vector<EmbeddedFile>& embedded_files();
std::string_view embedded_file(std::string_view name);  // empty when there is none

}  // namespace muhur::web
