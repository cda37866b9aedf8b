#include "mime/corpus_at_random.hpp"

#include <random>
#include <span>

namespace muhur::mime::test {
namespace {

using Pool = std::span<const std::string_view>;

// Boundaries that begin with one another, and some that need quotes or are too long.
constexpr std::string_view kBoundaries[] = {
    "b",
    "bb",
    "b-",
    "b--",
    "b---",
    "bbb",
    "=_x",
    "--",
    "a'()+_,-./:=?",
    "with space",
    "x.y",
    "0",
    "",
    "----=_NextPart_000_0001",
    "----=_NextPart_000_00012",
    "----=_NextPart_000",
    "0123456789012345678901234567890123456789012345678901234567890123456789",
    "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789"};

constexpr std::string_view kTypes[] = {"text/plain",
                                       "text/html; charset=utf-8",
                                       "TEXT/PLAIN; charset=\"iso-8859-9\"; format=flowed",
                                       "application/pdf; name=\"a b.pdf\"",
                                       "image/png; name*=utf-8''%e2%82%ac.png",
                                       "text/plain; name*0=\"long\"; name*1=\"-name\"; name*2=\".txt\"",
                                       "text/plain; name*0*=us-ascii'en'a%20; name*1=\"b%\"; name*2*=%2A",
                                       "text/plain; name*1=x; name*2=y",
                                       "message/rfc822",
                                       "message/delivery-status",
                                       "message/global",
                                       "message/rfc822; x=y",
                                       "text",
                                       "text/",
                                       "text/plain charset=x",
                                       "application",
                                       "multipart",
                                       "foo/bar;;x=y",
                                       "text/plain; charset",
                                       "text/plain; charset=",
                                       "text/plain (comment); charset=us-ascii (more)",
                                       "text/plain; =x; a=b",
                                       "text / plain ; charset = utf-8",
                                       "text/plain; charset=\"unfinished",
                                       "text/plain; name==?utf-8?b?4oKs?=",
                                       "text/plain;\n\tcharset=koi8-r;\n name=\"fold\n ed\"",
                                       "text/plain; name=\"q\\\"uo\\\\te\"",
                                       "text/plain; name=\xc3\xa9t\xc3\xa9.txt",
                                       "(first) text/x-y; a=1; A=2; b=\"\"",
                                       "message/partial; id=\"1\"; number=1",
                                       "text/plain; a=b; c",
                                       "x-unknown/x-type; =",
                                       "text/plain; boundary=b"};

constexpr std::string_view kAddresses[] = {"a@example.org",
                                           "Ann Other <ann@example.org>",
                                           "\"Other, Ann\" <ann@example.org>",
                                           "<@r1,@r2:x@y.org>",
                                           "x@y (Comment Name)",
                                           "group: a@b, c@d;",
                                           "empty group:;",
                                           "\"quoted local\"@example.org",
                                           "lonely",
                                           "two words",
                                           "<broken@",
                                           "a@[127.0.0.1]",
                                           "a b <x@y>",
                                           "=?utf-8?q?J=C3=BCrgen?= <j@example.org>",
                                           "\xc4\xb0smail <i@example.org>",
                                           "a.@b",
                                           ".a@b",
                                           "a..b@c",
                                           "x@y.z.",
                                           "<>",
                                           "Name <>",
                                           "<x@y> trailing",
                                           "(lead) x@y",
                                           "x (in) @ (out) y",
                                           "a@b c@d",
                                           "g: h: i@j;;",
                                           "\"unfinished <x@y>",
                                           "<@r:x@y>",
                                           "<@r x@y>",
                                           "a@",
                                           "@b",
                                           ";",
                                           ":",
                                           "\"\"@b",
                                           "\"\" <c@d>",
                                           "x@y;",
                                           "(a (nested) comment) n@o",
                                           "p\\q@r",
                                           "s@t>u",
                                           "Undisclosed recipients:;",
                                           "Dr. A. B. Name <n@m>",
                                           "name <x@y>,",
                                           ", ,z@z",
                                           "\tq@q",
                                           "k@\"quoted.org\""};

constexpr std::string_view kSubjects[] = {"Hello",
                                          "",
                                          " ",
                                          "=?utf-8?B?TWVyaGFiYQ==?= =?utf-8?Q?_d=C3=BCnya?=",
                                          "tab\tand  spaces",
                                          "fold\n ed\n\there",
                                          "\xfe\xff raw",
                                          "with \"quotes\" and \\slashes\\",
                                          "trailing ",
                                          "\n later",
                                          "NIL",
                                          "a\rb"};

constexpr std::string_view kOther[] = {
    "Content-ID: <id@example.org>",
    "Content-ID:\n <folded@id>",
    "Content-Description: =?utf-8?q?d=C3=A9?=",
    "Content-Description: a \"b\" \\c",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: 8BIT",
    "Content-Transfer-Encoding: quoted-printable; x",
    "Content-Transfer-Encoding: (c) 7bit (d)",
    "Content-Transfer-Encoding:",
    "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==",
    "Content-Location: http://a/\n b",
    "Content-Language: en",
    "Content-Language: de, en-GB (British), fr",
    "Content-Language: ,",
    "Content-Language: en;q=1",
    "Content-Disposition: inline",
    "Content-Disposition: attachment; filename=a.txt",
    "Content-Disposition: attachment; filename*=utf-8'tr'%C4%B0.txt; size=3",
    "Content-Disposition: attachment; filename*0*=utf-8''a; filename*1*=%20b; filename*2=\"c.txt\"",
    "Content-Disposition: ; filename=x",
    "Content-Disposition: attachment filename=x; y=z",
    "Content-Disposition: \"q\"",
    "X-Other: anything",
    "no colon at all",
    "Colon : before",
    ": nameless",
    " leading: space",
    "X-Empty:",
    "MIME-Version: 1.0",
    "Content-Type: text/second"};

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string message(int depth) {
    if (one_in(2)) out_ += "MIME-Version: 1.0\n";
    for (const char* field : {"From", "To", "Cc", "Bcc", "Reply-To", "Sender", "From"})
      if (one_in(2)) out_ += fmt::format("{}:{}{}\n", field, one_in(8) ? "" : " ", addresses());
    if (one_in(2)) out_ += fmt::format("Subject: {}\n", pick(kSubjects));
    if (one_in(2)) out_ += "Date: Mon, 30 Nov 2026 10:06:14 +0200\n";
    if (one_in(3)) out_ += "Message-ID: <m@example.org>\n";
    if (one_in(3)) out_ += "In-Reply-To:\n <r@example.org> (\"q\")\n";
    entity(depth);
    return std::move(out_);
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::string_view pick(Pool pool) { return pool[below(pool.size())]; }

  std::string addresses() {
    std::string list;
    for (std::uint32_t i = 0, count = 1 + below(4); i < count; ++i) {
      if (i > 0) list += one_in(4) ? ",\n\t" : one_in(8) ? " " : ", ";
      list += pick(kAddresses);
    }
    return list;
  }

  void lines() {
    for (std::uint32_t i = 0, count = below(5); i < count; ++i) {
      switch (below(8)) {
        case 0:
          out_ += "\n";
          break;
        case 1:
          out_ += "--\n";
          break;
        case 2:
          out_ += fmt::format("--{}{}\n", pick(kBoundaries), one_in(2) ? "x" : "");
          break;
        case 3:
          out_ += "- -dash\n";
          break;
        case 4:
          out_ += "bare\rcr and \xfc 8-bit\n";
          break;
        case 5:
          out_ += fmt::format(" --{}\n", pick(kBoundaries));
          break;
        case 6:
          out_ += std::string(200, 'l') + "\n";
          break;
        default:
          out_ += "some text\n";
      }
    }
  }

  // The rest of a header and a body.
  void entity(int depth) {
    for (std::uint32_t i = 0, count = below(3); i < count; ++i) out_ += fmt::format("{}\n", pick(kOther));
    if (depth > 0 && !one_in(3)) return multipart(depth);
    if (depth > 0 && one_in(4)) {
      out_ += "Content-Type: message/rfc822\n";
      if (one_in(5)) out_ += "Content-Transfer-Encoding: base64\n";
      end_header();
      out_ = std::move(out_) + Writer(random_()).message(depth - 1);
      return;
    }
    if (!one_in(4)) out_ += fmt::format("Content-Type: {}\n", pick(kTypes));
    end_header();
    lines();
    if (one_in(6)) out_ += "no line end";
  }

  void end_header() {
    if (!one_in(12)) out_ += "\n";
  }

  void multipart(int depth) {
    static constexpr std::string_view kSubtypes[] = {"mixed", "alternative", "digest", "RELATED", "x-odd"};
    const std::string_view boundary = pick(kBoundaries);
    if (one_in(15))
      out_ += fmt::format("Content-Type: multipart/{}\n", pick(kSubtypes));
    else
      out_ += fmt::format("Content-Type: multipart/{}; {}boundary=\"{}\"\n", pick(kSubtypes),
                          one_in(5) ? "type=x;\n " : "", boundary);
    end_header();
    if (one_in(3)) lines();
    for (std::uint32_t i = 0, count = below(5); i < count; ++i) {
      if (!out_.ends_with('\n') && !one_in(6)) out_ += '\n';
      out_ += fmt::format("--{}{}\n", boundary, one_in(6) ? " \t" : one_in(12) ? "suffix" : "");
      if (one_in(8)) continue;
      entity(depth - 1);
    }
    if (one_in(4)) return;  // never closed
    if (!out_.ends_with('\n')) out_ += '\n';
    out_ += fmt::format("--{}--{}", boundary, one_in(6) ? "" : "\n");
    if (one_in(3)) lines();
  }

  std::mt19937 random_;
  std::string out_;
};

}  // namespace

std::string message_at_random(std::uint32_t seed) {
  return Writer(seed).message(1 + static_cast<int>(seed % 5));
}

}  // namespace muhur::mime::test
