#include "mime/corpus_by_hand.hpp"

namespace muhur::mime::test {
namespace {

using namespace std::string_literals;

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string nested_multiparts(int depth) {
  std::string out;
  for (int i = 0; i < depth; ++i)
    out += fmt::format("Content-Type: multipart/mixed; boundary=n{}-\n\n--n{}-\n", i, i);
  return out + "\ninnermost\n";
}

std::string nested_messages(int depth) {
  return repeat("Subject: outer\nContent-Type: message/rfc822\n\n", depth) + "Subject: innermost\n\nbody\n";
}

std::string mixed(std::string_view body, std::string_view parameters = "boundary=b") {
  return fmt::format("MIME-Version: 1.0\nSubject: s\nContent-Type: multipart/mixed; {}\n\n{}", parameters,
                     body);
}

std::string with_header(std::string_view fields) { return fmt::format("{}\n\nbody\n", fields); }

}  // namespace

std::vector<Sample> samples_by_hand() {
  std::vector<Sample> all = {
      {"nothing", ""},
      {"one-line-break", "\n"},
      {"only-body", "\nbody\n"},
      {"header-without-end", "Subject: x"},
      {"header-with-line-end", "Subject: x\n"},
      {"no-header-lines", "this is no header\nnor this\n\nbody\n"},
      {"only-cr", "Subject: x\n\r\rbody\n"},
      {"nul-in-body", "Subject: x\n\na\0b\n"s},
      {"nul-in-subject", "Subject: a\0b\nFrom: \"q\0r\" <x@y>\n\nbody\n"s},
      {"first-line-folded", " folded: first\nSubject: x\n\nbody\n"},
      {"mbox-from", "From someone Mon Nov 30 10:06:14 2026\nSubject: x\n\nbody\n"},
      {"simple", "MIME-Version: 1.0\nFrom: a@b\nContent-Type: text/plain; charset=utf-8\n\nbody\n"},
      {"plain-7bit",
       "MIME-Version: 1.0\nContent-Type: TEXT/PLAIN; charset=US-ASCII\nContent-Transfer-Encoding: "
       "7BIT\n\nb\n"},
      {"content-without-mime", "Content-ID: <x>\nContent-Transfer-Encoding: base64\n\nbody\n"},
      {"content-with-mime",
       "Content-ID: <x>\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\nbody\n"},
      {"two-parts", mixed("preamble\n--b\n\none\n--b\n\ntwo\n--b--\nepilogue\n")},
      {"no-parts", mixed("nothing\n")},
      {"no-parts-at-all", mixed("")},
      {"no-boundary-parameter", mixed("--b\n\none\n--b--\n", "x=y")},
      {"empty-boundary", mixed("--\n\none\n--\n\ntwo\n----\nend\n", "boundary=\"\"")},
      {"closed-only", mixed("--b--\n")},
      {"opened-at-end", mixed("--b\n")},
      {"opened-at-end-no-line-break", mixed("--b")},
      {"opened-at-end-cr", mixed("--b\r")},
      {"never-closed", mixed("--b\n\none\n--b\n\ntwo\n")},
      {"closed-at-end-no-line-break", mixed("--b\n\none\n--b--")},
      {"part-without-body", mixed("--b\nContent-Type: text/html\n--b--\n")},
      {"part-without-body-or-header", mixed("--b\n--b\n--b--\n")},
      {"part-with-blank-line-only", mixed("--b\n\n--b\n\n\n--b--\n")},
      {"part-header-at-end", mixed("--b\nContent-Type: text/html")},
      {"no-line-before-boundary", mixed("--b\n\n--b--\n")},
      {"boundary-in-header", "Content-Type: multipart/mixed; boundary=b\n--b\n\none\n--b--\n"},
      {"inner-header-runs-into-outer",
       mixed("--b\nContent-Type: multipart/mixed; boundary=c\n--b\n\nx\n--c\n\ny\n--b--\n")},
      {"inner-message-runs-into-outer",
       mixed("--b\nContent-Type: message/rfc822\n--b\nContent-Type: message/rfc822\n\nSubject: i\n--b--\n")},
      {"message-in-message-runs-into-outer",
       mixed("--b\nContent-Type: message/rfc822\n\nContent-Type: message/rfc822\nX: y\n--b\n\nz\n--b--\n")},
      {"multipart-in-message-runs-into-outer",
       mixed("--b\nContent-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=c\n\n--c\nX: "
             "y\n--b\n\nz\n--b--\n")},
      {"message-root-runs-into-outer", mixed("--b\nContent-Type: message/rfc822\n\n--b\n\nz\n--b--\n")},
      {"inner-not-closed",
       mixed("--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\nx\n--b\n\ny\n--b--\n")},
      {"inner-same-boundary",
       mixed("--b\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nx\n--b--\n\n--b\n\ny\n--b--\n")},
      {"inner-longer-boundary",
       mixed(
           "--b\nContent-Type: multipart/alternative; boundary=bb\n\n--bb\n\nx\n--bb--\n--b\n\ny\n--b--\n")},
      {"inner-shorter-boundary",
       mixed("--bb\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nx\n--b--\n--bb\n\ny\n--bb--\n",
             "boundary=bb")},
      {"inner-dash-boundary", mixed("--b\nContent-Type: multipart/alternative; "
                                    "boundary=b--\n\n--b--\n\nx\n--b----\n--b\n\ny\n--b--\n")},
      {"outer-dash-boundary",
       mixed(
           "--b--\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nx\n--b--\n--b--\n\ny\n--b----\n",
           "boundary=b--")},
      {"boundary-prefix-lines", mixed("--bx\n\none\n--b y\n\ntwo\n--b--z\nend\n")},
      {"boundary-after-closing", mixed("--b\n\none\n--b--\n--b\n\ntwo\n--b--\n")},
      {"inner-closing-then-outer",
       mixed("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nx\n--c--\n--b--\n")},
      {"inner-epilogue",
       mixed("--b\nContent-Type: multipart/mixed; boundary=c\n\npre\n--c\n\nx\n--c--\nepi\n\n--b--\nepi\n")},
      {"boundary-70", mixed(fmt::format("--{0}\n\nx\n--{0}--\n", repeat("0123456789", 7)),
                            "boundary=" + repeat("0123456789", 7))},
      {"boundary-80", mixed(fmt::format("--{0}\n\nx\n--{0}--\n", repeat("0123456789", 8)),
                            "boundary=" + repeat("0123456789", 8))},
      {"boundary-81", mixed(fmt::format("--{0}x\n\nx\n--{0}x--\n", repeat("0123456789", 8)),
                            "boundary=" + repeat("0123456789", 8) + "x")},
      {"boundary-300", mixed(fmt::format("--{0}\n\nx\n--{0}--\n", repeat("0123456789", 30)),
                             "boundary=" + repeat("0123456789", 30))},
      {"boundary-line-1000", mixed(fmt::format("--b{0}\n\nx\n--b--{0}\n", repeat("0123456789", 100)))},
      {"boundary-with-space-end", mixed("--b \n\nx\n--b --\n", "boundary=\"b \"")},
      {"boundary-continued",
       mixed("--long-boundary\n\nx\n--long-boundary--\n", "boundary*0=long; boundary*1=-boundary")},
      {"boundary-extended", mixed("--b\n\nx\n--b--\n", "boundary*=us-ascii''b")},
      {"boundary-twice", mixed("--b\n\nx\n--c\n\ny\n--b--\n", "boundary=b; boundary=c")},
      {"boundary-folded", mixed("--b\n\nx\n--b--\n", "\n\tboundary=\"b\"")},
      {"boundary-comment", mixed("--b\n\nx\n--b--\n", "boundary=b (c)")},
      {"boundary-unfinished-quote", mixed("--b\n\nx\n--b--\n", "boundary=\"b")},
      {"content-type-twice",
       "Content-Type: multipart/mixed; boundary=b\nContent-Type: text/plain\n\n--b\n\nx\n--b--\n"},
      {"content-type-space-colon", "Content-Type : multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n"},
      {"digest-type-missing", mixed("--b\n\nSubject: a\n\nx\n--b--\n")},
      {"digest-default",
       "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: a\n\nx\n--b\nX: y\n\nFrom: "
       "a@b\n\ny\n--b\nContent-Type: text/plain\n\nz\n--b--\n"},
      {"digest-empty-parts", "Content-Type: multipart/digest; boundary=b\n\n--b\n\n--b\n--b\n"},
      {"digest-opened-at-end", "Content-Type: multipart/digest; boundary=b\n\n--b\n"},
      {"digest-bad-type",
       "Content-Type: multipart/digest; boundary=b\n\n--b\nContent-Type: rubbish\n\nSubject: "
       "x\n\ny\n--b--\n"},
      {"digest-in-digest",
       "Content-Type: multipart/digest; boundary=b\n\n--b\n\nContent-Type: multipart/digest; "
       "boundary=c\n\n--c\n\nSubject: deep\n\nx\n--c--\n--b--\n"},
      {"message", "Content-Type: message/rfc822\n\nSubject: inner\nFrom: a@b\n\ninner body\n"},
      {"message-upper-case", "Content-Type: MESSAGE/RFC822\n\nSubject: inner\n\ninner body\n"},
      {"message-base64",
       "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKYm9keQo=\n"},
      {"message-empty", "Content-Type: message/rfc822\n\n"},
      {"message-without-end-of-header", "Content-Type: message/rfc822\n"},
      {"message-with-multipart",
       mixed("--b\nContent-Type: message/rfc822\n\nSubject: i\nContent-Type: multipart/mixed; "
             "boundary=i\n\npre\n--i\n\none\n--i\nContent-Type: image/png\nContent-Transfer-Encoding: "
             "base64\n\niVBORw==\n--i--\nepi\n--b\n\nlast\n--b--\n")},
      {"message-global", mixed("--b\nContent-Type: message/global\n\nSubject: x\n\ny\n--b--\n")},
      {"nested-98", nested_multiparts(98)},
      {"nested-99", nested_multiparts(99)},
      {"nested-100", nested_multiparts(100)},
      {"nested-150", nested_multiparts(150)},
      {"messages-98", nested_messages(98)},
      {"messages-99", nested_messages(99)},
      {"messages-120", nested_messages(120)},
      {"digest-nested-limit",
       nested_multiparts(97) +
           "--n96-\nContent-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: x\n\ny\n"},
      {"parts-9998", mixed(repeat("--b\n\nx\n", 9998) + "--b--\n")},
      {"parts-10500", mixed(repeat("--b\n\nx\n", 10'500) + "--b--\n")},
      {"parts-10500-closed-in-outer", mixed("--o\nContent-Type: multipart/mixed; boundary=b\n\n" +
                                                repeat("--b\n\nx\n", 10'500) + "--b--\n--o--\n",
                                            "boundary=o")},
      {"header-lines-3000", repeat("X-Line: value\n", 3000) + "Subject: after\n\nbody\n"},
      {"long-header-line", "X-Long: " + repeat("0123456789", 2000) + "\nSubject: after\n\nbody\n"},
      {"long-folded-header", "X-Long: " + repeat("0123456789\n ", 2000) + "\nSubject: after\n\nbody\n"},
      {"long-name", repeat("n", 999) + ": v\n" + repeat("n", 1001) + ": v\nSubject: after\n\nbody\n"},
      {"all-extension-fields",
       mixed("--b\nContent-Type: text/plain; charset=utf-8; name=n\nContent-ID: <i>\nContent-Description: "
             "d\nContent-Transfer-Encoding: 8bit\nContent-MD5: m\nContent-Disposition: attachment; "
             "filename=f; size=1\nContent-Language: en, tr\nContent-Location: l\n\nx\n--b--\n",
             "boundary=b; x=y\nContent-Disposition: inline\nContent-Language: ko\nContent-Location: here")},
      {"disposition-twice",
       "MIME-Version: 1.0\nContent-Disposition: inline\nContent-Disposition: attachment; "
       "a=b\nContent-Disposition: third; c=d\n\nx\n"},
      {"encoding-twice",
       "MIME-Version: 1.0\nContent-Transfer-Encoding: a b\nContent-Transfer-Encoding: "
       "base64\nContent-Transfer-Encoding: 7bit\n\nx\n"},
      {"language-twice",
       "MIME-Version: 1.0\nContent-Language: ,\nContent-Language: en\nContent-Language: de\n\nx\n"},
      {"fields-twice", with_header("Subject: one\nSubject: two\nFrom: a@b\nFrom: c@d\nDate: x\nDate: "
                                   "y\nMessage-ID: <1>\nMessage-ID: <2>\nTo: a@b\nTo:\nCc: (c)\nCc: x@y")},
      {"sender-empty", with_header("From: a@b\nSender:\nReply-To: ;")},
      {"message-id-folded", with_header("Message-ID:\n\t<folded@example.org>\nIn-Reply-To: <a@b>\n <c@d>")},
      {"raw-8bit",
       with_header("From: J\xfcrgen <j@x>\nSubject: \xc3\xbc\xfc\nContent-Type: text/plain; name=\xfc")},
      {"stray-cr", with_header("Subject: a\rb\r\rc\nFrom: \"a\rb\" <x@y>\nMessage-ID: <a\rb>\nX: y\r")},
      {"parameter-stale-index", with_header("Content-Type: text/plain; a*0=x; a*1=y; name*=utf-8''z")},
      {"parameter-mixed-case", with_header("Content-Type: text/plain; NAME*0=x; name*1=y")},
      {"parameter-order", with_header("Content-Type: text/plain; b*0=1; a*0=2; c=3; a*1=4")},
      {"parameter-duplicate-piece", with_header("Content-Type: text/plain; a*0=x; a*0=y; a*1=z")},
      {"parameter-leading-zero", with_header("Content-Type: text/plain; a*00=x; a*01=y")},
      {"parameter-stars", with_header("Content-Type: text/plain; a**=x; b*x=y; c*0**=z; *=w; *0=v")},
      {"parameter-gap", with_header("Content-Type: text/plain; a*0*=x; a*2*=y; a*4=z")},
      {"parameter-extended-late", with_header("Content-Type: text/plain; a*0=\"x%y\"; a*1*=%41")},
      {"parameter-backslash-end", with_header("Content-Type: text/plain; a=\"x\\")},
      {"parameter-backslash-fold", with_header("Content-Type: text/plain; a=\"x\\\n y\"")},
      {"address-mime4j-group",
       with_header("To: \"My, Group\": \"a\" <b@c>, d@e (f), <@g:h@i>;, after@group")},
      {"address-group-unfinished", with_header("To: group: a@b, c@d\nCc: group:\nBcc: g: x@y;;")},
      {"address-comments",
       with_header(
           "To: (a) b (c) @ (d) e (f)\nCc: x@y (\\(escaped\\))\nBcc: x@y (a (b) c)\nFrom: x@y (a) (b)")},
      {"address-unfinished-comment", with_header("To: x@y (never\nCc: (never x@y")},
      {"address-domain-literal", with_header("To: a@[1.2.3.4], b@[x[y], c@[\\]]\nCc: d@[un")},
      {"address-routes", with_header("To: <@a,@b:c@d>, <@a, @b :c@d>, <@a c@d>, <@a:>, <@a>")},
      {"address-dots", with_header("To: .a@b, a.@b, a..b@c, a . b @ c . d, a@b., a@.b, ...@x, .")},
      {"address-names", with_header("To: A. B. <c@d>, \"a\"b <c@d>, a \"b\" c <d@e>, \"\" <f@g>, .x <h@i>")},
      {"address-eai", with_header("To: \xce\xb1@\xce\xb2.org, \xce\xb3 <\xce\xb4@\xce\xb5>")},
      {"address-white-space", with_header("To:  \t \nCc: ,\nBcc: ,,x@y,,")},
      {"bare-lf-normalised", "Subject: a\r\n\r\nb\nc\r\n"},
      {"cr-before-boundary", mixed("--b\n\nx\r\r\n--b--\n")},
      {"lf-only-lines", mixed("--b\n\n\n\n\n--b\n\n\n--b--\n\n\n")},
  };
  return all;
}

}  // namespace muhur::mime::test
