#include "mime/content_type.hpp"

#include "mime/parameters.hpp"
#include "mime/tokens.hpp"

namespace muhur::mime {
namespace {

// type "/" subtype, then the end or a ';'. On failure `type` may hold a lone type, and subtype is empty.
bool read_media_type(Lexer& lexer, std::string& type, std::string& subtype) {
  if (lexer.skip_space() != Step::more) return false;
  if (lexer.token(type) != Step::more) return false;
  const auto refuse = [&] {
    type.clear();
    subtype.clear();
    return false;
  };
  if (type.empty() || !lexer.at('/')) return refuse();
  lexer.advance();
  if (lexer.skip_space() != Step::more) return refuse();
  if (lexer.token(subtype) == Step::broken || subtype.empty()) return refuse();
  if (!lexer.done() && !lexer.at(';')) return refuse();
  return true;
}

}  // namespace

std::optional<ContentType> parse_content_type(std::string_view value, std::size_t max_parameters) {
  Lexer lexer(value);
  ContentType content;
  if (!read_media_type(lexer, content.type, content.subtype)) return std::nullopt;
  content.parameters = read_parameters(lexer, max_parameters);
  return content;
}

ContentType salvage_content_type(std::string_view value) {
  Lexer lexer(value);
  ContentType content;
  read_media_type(lexer, content.type, content.subtype);
  return content;
}

std::optional<Disposition> parse_disposition(std::string_view value, std::size_t max_parameters) {
  Lexer lexer(value);
  lexer.skip_space();
  Disposition disposition;
  if (lexer.token(disposition.kind) == Step::broken) return std::nullopt;
  disposition.parameters = read_parameters(lexer, max_parameters);
  return disposition;
}

std::vector<std::string> parse_languages(std::string_view value) {
  Lexer lexer(value);
  lexer.skip_space();
  std::vector<std::string> languages;
  std::string tag;
  while (lexer.atom(tag) != Step::broken) {
    languages.push_back(std::exchange(tag, {}));
    if (!lexer.at(',')) break;
    lexer.advance();
    lexer.skip_space();
  }
  return languages;
}

std::string parse_encoding(std::string_view value) {
  Lexer lexer(value);
  lexer.skip_space();
  std::string encoding;
  if (lexer.token(encoding) == Step::broken || lexer.skip_space() != Step::end) return {};
  return encoding;
}

}  // namespace muhur::mime
