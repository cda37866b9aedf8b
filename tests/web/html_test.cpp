#include "web/html.hpp"

#include <gtest/gtest.h>

namespace muhur::web {
namespace {

TEST(Html, Bug23EscapesTextAndAttributes) {
  const std::string text = "<b>&\"'\x01\x7F\xFF</b>";
  EXPECT_EQ(Html(text).markup(), "&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD&lt;/b&gt;");
  EXPECT_EQ(el("p", {{"title", "\"><script>"}}, "<x>").markup(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;x&gt;</p>");
}

TEST(Html, NestsWhatWasMadeHere) {
  EXPECT_EQ(el("p", {}, "a ", el("b", {}, "b"), el("br", {})).markup(), "<p>a <b>b</b><br></p>");
}

TEST(Html, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(
      el("input", {{"required", true}, {"autofocus", false}, {"id", std::string_view("x"), false}}).markup(),
      "<input required>");
}

TEST(Html, Bug23LetsNoAddressRunAnything) {
  // identity.md §5 no. 23: a stored "javascript:" redirect URI.
  for (const char* bad :
       {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
        "data:text/html,x", "vbscript:x", "//evil.example", "/\\evil.example", "https:evil", "https://",
        "https:///x", "relative", "", "file:///etc/passwd", "blob:x", ".a:x", "http:/\\x", "view-source:x"}) {
    EXPECT_EQ(safe_url(bad), "#") << bad;
    EXPECT_EQ(el("a", {{"href", bad}}).markup(), "<a href=\"#\"></a>") << bad;
  }
  for (const char* good : {"/a?b=c", "#main", "https://a.example/x?y=z#w", "http://127.0.0.1:8080/cb",
                           "com.example.app:/cb", "mailto:help@example.org"})
    EXPECT_EQ(safe_url(good), good);
}

}  // namespace
}  // namespace muhur::web
