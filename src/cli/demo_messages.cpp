#include "cli/demo_messages.hpp"

#include <fmt/format.h>

#include "cli/demo_mime.hpp"
#include "cli/demo_samples.hpp"

namespace muhur::cli {
namespace {

using demo::crlf;
using demo::encoded_word;
using demo::multipart;
using demo::part;

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;

// The head every sample has, up to what says how its body is written.
std::string head(std::string_view from, std::string_view to, std::string_view subject, std::string_view id,
                 std::int64_t date_s, std::string_view more = {}) {
  return fmt::format(
      "From: {}\r\nTo: {}\r\nSubject: {}\r\nMessage-ID: <{}>\r\nDate: {}\r\n{}MIME-Version: 1.0\r\n", from,
      to, subject, id, demo::date(date_s), more);
}

constexpr std::string_view kAlice = "Alice Ay <alice@example.org>";
constexpr std::string_view kBob = "Bob Brink <bob@example.org>";
constexpr std::string_view kCarol = "Carol Chen <carol@example.com>";
constexpr std::string_view kPlain =
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n";

DemoMessage welcome(std::int64_t now) {
  return {
      "postmaster@example.org",
      {"alice", "bob", "admin"},
      head("Muhur <postmaster@example.org>", "users@example.org", "Welcome to Muhur", "welcome@example.org",
           now - 14 * kDay) +
          part(kPlain,
               crlf("Welcome!\n\n"
                    "This mailbox is one encrypted file. It opens with your password, your recovery key,\n"
                    "and with nothing else: not even the administrator can read it.\n\n"
                    "The other messages here show what mail is made of: attachments, languages,\n"
                    "invitations, signatures. Delete them when you have seen enough.\n"))};
}

// Three messages that answer one another.
std::vector<DemoMessage> thread(std::int64_t now) {
  const std::int64_t first = now - 12 * kDay;
  return {
      {"carol@example.com",
       {"alice", "bob"},
       head(kCarol, "alice@example.org, bob@example.org", "Roof terrace on Friday?", "terrace.1@example.com",
            first) +
           part(kPlain, crlf("Hi both,\n\nshall we have lunch on the roof terrace on Friday?\n\nCarol\n"))},
      {"bob@example.org",
       {"alice"},
       head(kBob, kCarol, "Re: Roof terrace on Friday?", "terrace.2@example.org", first + 2 * kHour,
            "Cc: alice@example.org\r\nIn-Reply-To: <terrace.1@example.com>\r\nReferences: "
            "<terrace.1@example.com>\r\n") +
           part(kPlain, crlf("Yes, at one. I bring the olives.\n\n"
                             "> shall we have lunch on the roof terrace on Friday?\n"))},
      {"carol@example.com",
       {"alice", "bob"},
       head(kCarol, kBob, "Re: Roof terrace on Friday?", "terrace.3@example.com", first + 5 * kHour,
            "Cc: alice@example.org\r\nIn-Reply-To: <terrace.2@example.org>\r\n"
            "References: <terrace.1@example.com>\r\n <terrace.2@example.org>\r\n") +
           part(kPlain, crlf("Perfect. Alice, you are in charge of the weather.\n"))},
  };
}

// mixed{alternative{text, related{html, image}}, pdf, csv}
DemoMessage nested(std::int64_t now) {
  const std::string pdf =
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count "
      "1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
  const std::string image = part(
      "Content-Type: image/png; name=\"seal.png\"\nContent-Transfer-Encoding: base64\n"
      "Content-ID: <seal@example.com>\nContent-Disposition: inline; filename=\"seal.png\"\n",
      demo::kSealPng);
  const std::string html = part(
      "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
      crlf("<html><body><h1>Figures for the third quarter</h1>\n<p>Revenue is up by 7&nbsp;% =E2=80=93 see "
           "the "
           "table.</p>\n<p><img src=3D\"cid:seal@example.com\" alt=3D\"our seal\"></p>\n</body></html>\n"));
  const std::string text =
      part("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
           crlf("Figures for the third quarter\n\nRevenue is up by 7 % =E2=80=93 see the table.\n"));
  const std::string body = multipart(
      "mixed", "=_outer_7f3a",
      {multipart("alternative", "=_middle_7f3b",
                 {text, multipart("related; type=\"text/html\"", "=_inner_7f3c", {html, image})}),
       part("Content-Type: application/pdf; name=\"report.pdf\"\nContent-Transfer-Encoding: base64\n"
            "Content-Disposition: attachment; filename=\"report.pdf\"\n",
            demo::base64_lines(pdf)),
       part("Content-Type: text/csv; charset=utf-8\nContent-Transfer-Encoding: base64\n"
            "Content-Disposition: attachment;\n "
            "filename*=UTF-8''%C3%BC%C3%A7%C3%BCnc%C3%BC%20%C3%A7eyrek.csv\n",
            demo::base64_lines("month,revenue\nJuly,1200\nAugust,1340\nSeptember,1410\n"))});
  return {
      "reports@example.com",
      {"alice"},
      head("Reports <reports@example.com>", kAlice, "Q3 figures", "q3.figures@example.com", now - 10 * kDay) +
          body};
}

DemoMessage newsletter(std::int64_t now) {
  const std::string body = multipart(
      "related; type=\"text/html\"", "=_news_01",
      {part("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n",
            crlf("<html><body style=\"font-family: sans-serif\"><h1>The Letter</h1>\n<img "
                 "src=\"cid:logo@example.net\" "
                 "width=\"24\">\n<p>This week: wax, ribbons, and why a <b>seal</b> is not a "
                 "signature.</p></body></html>\n")),
       part("Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-ID: <logo@example.net>\n"
            "Content-Disposition: inline; filename=\"logo.png\"\n",
            demo::kSealPng)});
  return {"bounce-42@example.net",
          {"alice", "bob"},
          head("The Letter <news@example.net>", "readers@example.net", "The Letter no. 42",
               "letter.42@example.net", now - 9 * kDay,
               "List-Id: The Letter <letter.example.net>\r\nList-Unsubscribe: <mailto:leave@example.net>\r\n"
               "Precedence: bulk\r\n") +
              body};
}

// A body of raw bytes in ISO-8859-9, and a subject in an encoded word of the same.
DemoMessage turkish(std::int64_t now) {
  return {
      "ayse@example.com",
      {"alice"},
      head("=?ISO-8859-9?Q?Ay=FEe_Y=FDlmaz?= <ayse@example.com>", kAlice,
           "=?ISO-8859-9?Q?=DDstanbul'da_bulu=FEal=FDm_m=FD=3F?=", "istanbul@example.com", now - 8 * kDay) +
          part("Content-Type: text/plain; charset=iso-8859-9\nContent-Transfer-Encoding: 8bit\n",
               crlf("Merhaba Alice,\n\n\xD6n\xFCm\xFCzdeki hafta \xDDstanbul'day\xFDm. \xC7"
                    "ar\xFE"
                    "amba ak\xFE"
                    "am\xFD\nBo\xF0"
                    "az'da bir \xE7"
                    "ay i\xE7"
                    "elim mi?\n\nSevgiler,\nAy\xFE"
                    "e\n"))};
}

DemoMessage korean(std::int64_t now) {
  return {"minjun@example.com",
          {"alice"},
          head(encoded_word("김민준") + " <minjun@example.com>", kAlice, encoded_word("회의 일정 변경 안내"),
               "schedule@example.com", now - 7 * kDay) +
              part("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n",
                   demo::base64_lines(
                       crlf("안녕하세요, 앨리스 님.\n\n다음 주 월요일 회의는 오후 세 시로 옮겨졌습니다.\n"
                            "불편을 드려 죄송합니다.\n\n김민준 드림\n")))};
}

DemoMessage emoji(std::int64_t now) {
  return {"li@example.com",
          {"alice", "bob"},
          head(encoded_word("李娜") + " <li@example.com>", "alice@example.org, bob@example.org",
               encoded_word("🎉 新年快乐！🧧 恭喜发财 — see you at the party 🥟🍜🐉"), "newyear@example.com",
               now - 6 * kDay) +
              part(kPlain, crlf("新年快乐！\n\nDumplings at seven 🥟. 花火は九時から 🎆.\n\n李娜\n"))};
}

// Headers in raw UTF-8 (RFC 6532), as SMTPUTF8 brings them.
DemoMessage raw_utf8(std::int64_t now) {
  return {"grüße@example.com",
          {"bob"},
          head("Jürgen Groß <grüße@example.com>", kBob, "Grüße aus Köln – ohne Kodierung",
               "gruesse@example.com", now - 6 * kDay + kHour) +
              part(kPlain, crlf("Lieber Bob,\n\ndieser Kopf steht in reinem UTF-8.\n\nJürgen\n"))};
}

DemoMessage invitation(std::int64_t now) {
  const std::string calendar = crlf(
      "BEGIN:VCALENDAR\nPRODID:-//Example//Calendar//EN\nVERSION:2.0\nMETHOD:REQUEST\nBEGIN:VEVENT\n"
      "UID:terrace-lunch@example.com\nDTSTAMP:20261101T090000Z\nDTSTART:20261204T120000Z\nDTEND:"
      "20261204T130000Z\n"
      "SUMMARY:Lunch on the roof terrace\nORGANIZER;CN=Carol Chen:mailto:carol@example.com\n"
      "ATTENDEE;RSVP=TRUE;CN=Alice Ay:mailto:alice@example.org\nLOCATION:Roof terrace\nSEQUENCE:0\n"
      "STATUS:CONFIRMED\nEND:VEVENT\nEND:VCALENDAR\n");
  const std::string body = multipart(
      "mixed", "=_invite_1",
      {multipart("alternative", "=_invite_2",
                 {part(kPlain, crlf("Carol Chen invites you: Lunch on the roof terrace.\n")),
                  part("Content-Type: text/calendar; charset=utf-8; "
                       "method=REQUEST\nContent-Transfer-Encoding: 8bit\n",
                       calendar)}),
       part("Content-Type: application/ics; name=\"invite.ics\"\nContent-Transfer-Encoding: base64\n"
            "Content-Disposition: attachment; filename=\"invite.ics\"\n",
            demo::base64_lines(calendar))});
  return {
      "carol@example.com",
      {"alice"},
      head(kCarol, kAlice, "Invitation: Lunch on the roof terrace", "invite@example.com", now - 5 * kDay) +
          body};
}

DemoMessage signed_mail(std::int64_t now) {
  const std::string body = multipart(
      "signed; protocol=\"application/pkcs7-signature\"; micalg=sha-256", "=_signed_1",
      {std::string(demo::kSignedPart), part("Content-Type: application/pkcs7-signature; "
                                            "name=\"smime.p7s\"\nContent-Transfer-Encoding: base64\n"
                                            "Content-Disposition: attachment; filename=\"smime.p7s\"\n",
                                            demo::kSignature)});
  return {
      "deniz@example.com",
      {"alice"},
      head("Deniz Kaya <deniz@example.com>", kAlice, "The contract", "contract@example.com", now - 4 * kDay) +
          body};
}

DemoMessage forward(std::int64_t now) {
  const std::string inner = head("Travel Desk <travel@example.com>", kBob, "Your train to Vienna",
                                 "train@example.com", now - 4 * kDay) +
                            multipart("mixed", "=_train_1",
                                      {part(kPlain, crlf("Coach 21, seats 45 and 46.\n")),
                                       part("Content-Type: text/plain; name=\"ticket.txt\"\n"
                                            "Content-Disposition: attachment; filename=\"ticket.txt\"\n",
                                            crlf("TICKET 8812-4471\n"))});
  const std::string body = multipart(
      "mixed", "=_forward_1",
      {part(kPlain, crlf("Alice, here are our seats.\n\nBob\n")),
       part("Content-Type: message/rfc822\nContent-Disposition: attachment; filename=\"train.eml\"\n",
            inner)});
  return {"bob@example.org",
          {"alice"},
          head(kBob, kAlice, "Fwd: Your train to Vienna", "fwd.train@example.org", now - 3 * kDay) + body};
}

// A mailing list's message deep in its thread.
DemoMessage long_references(std::int64_t now) {
  std::string references = "References:";
  for (int i = 1; i <= 40; ++i)
    references += fmt::format(" <patch-v3.{:02}.{:08x}@lists.example.net>\r\n", i, i * 2'654'435u);
  return {
      "linux-owner@lists.example.net",
      {"bob"},
      head("Dev Eloper <dev@example.net>", "patches@lists.example.net",
           "Re: [PATCH v3 41/42] mail: a subject that is long enough to be folded over two lines,\r\n"
           " as mailing lists like to have them",
           "patch-v3.41@lists.example.net", now - 2 * kDay,
           "In-Reply-To: <patch-v3.40@lists.example.net>\r\n" + references +
               "List-Id: <patches.lists.example.net>\r\n") +
          part("Content-Type: text/plain; charset=us-ascii\n",
               crlf("On Monday, somebody wrote:\n> +\treturn 0;\n\nAcked-by: Dev Eloper <dev@example.net>\n\n"
                    "-- \nDev\n"))};
}

DemoMessage flowed(std::int64_t now) {
  return {
      "carol@example.com",
      {"alice"},
      head(kCarol, kAlice, "A photo for you", "photo@example.com", now - kDay) +
          multipart("mixed", "=_photo_1",
                    {part("Content-Type: text/plain; charset=utf-8; format=flowed\n",
                          crlf("This is the photo that I told you about. It is small, but you \n"
                               "will see what it is.\n\nCarol\n")),
                     part("Content-Type: image/png; name=\"photo.png\"\nContent-Transfer-Encoding: base64\n"
                          "Content-Disposition: attachment; filename=\"photo.png\"\n",
                          demo::kSealPng)})};
}

}  // namespace

std::vector<DemoMessage> demo_messages(std::int64_t now_s) {
  std::vector<DemoMessage> all{welcome(now_s)};
  for (auto& message : thread(now_s)) all.push_back(std::move(message));
  for (const auto& make : {nested, newsletter, turkish, korean, emoji, raw_utf8, invitation, signed_mail,
                           forward, long_references, flowed})
    all.push_back(make(now_s));
  return all;
}

}  // namespace muhur::cli
