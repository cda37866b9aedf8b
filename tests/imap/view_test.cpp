#include "imap/view.hpp"

#include <gtest/gtest.h>

namespace muhur::imap {
namespace {

mailbox::Delta delta_of(const std::vector<mailbox::Uid>& uids, mailbox::UidSet expunged = {}) {
  mailbox::Delta delta;
  delta.folder.id = 1;
  delta.folder.uid_next = uids.empty() ? 1 : uids.back() + 1;
  for (const auto uid : uids) {
    mailbox::MessageRow row;
    row.uid = uid;
    delta.changed.push_back(row);
  }
  delta.expunged = std::move(expunged);
  return delta;
}

mailbox::Overview overview_of(std::vector<mailbox::Uid> uids) {
  mailbox::Overview overview;
  overview.folder = delta_of(uids).folder;
  overview.uids = std::move(uids);
  return overview;
}

using Uids = std::vector<mailbox::Uid>;

std::optional<Uids> resolved(const View& view, std::string_view set, bool uid) {
  return view.resolve(*parse_sequence_set(set), uid);
}

TEST(View, TurnsNumbersIntoUids) {
  const View view(overview_of({3, 5, 9}), false, 10);
  EXPECT_EQ(resolved(view, "1,3", false), (Uids{3, 9}));
  EXPECT_EQ(resolved(view, "*", false), (Uids{9}));
  EXPECT_EQ(resolved(view, "2:*", false), (Uids{5, 9}));
  EXPECT_EQ(resolved(view, "7:*", false), (Uids{9}));
  EXPECT_EQ(resolved(view, "1:4", false), std::nullopt);
  EXPECT_EQ(resolved(view, "1:7", true), (Uids{3, 5}));
  EXPECT_EQ(resolved(view, "99:*", true), (Uids{9}));
  EXPECT_EQ(resolved(view, "4", true), Uids());
}

TEST(View, OfAnEmptyFolderHasNoLastMessage) {
  const View view(overview_of({}), false, 1);
  EXPECT_EQ(resolved(view, "1:*", false), Uids());
  EXPECT_EQ(resolved(view, "*", true), Uids());
  EXPECT_EQ(resolved(view, "1", false), std::nullopt);
}

TEST(View, JoinsRangesOverGapsThatHoldNothing) {
  const View view(overview_of({3, 5, 9, 12}), false, 13);
  const auto ranges = view.ranges(Uids{3, 5, 12});
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].first, 3u);
  EXPECT_EQ(ranges[0].last, 5u);
  EXPECT_EQ(ranges[1].first, 12u);
}

TEST(View, KeepsNumbersUntilAnExpungeIsTold) {
  View view(overview_of({1, 2, 3, 4}), false, 5);
  std::string out;
  auto news = delta_of({5}, {{2, 2}, {4, 4}});
  view.update(news, 6, {.expunge = false}, out);
  EXPECT_EQ(out, "* 5 EXISTS\r\n* 0 RECENT\r\n");
  EXPECT_EQ(view.number_of(5), 5u);
  out.clear();
  view.report_expunged(out);
  EXPECT_EQ(out, "* 4 EXPUNGE\r\n* 2 EXPUNGE\r\n");
  EXPECT_EQ(view.number_of(5), 3u);
  EXPECT_EQ(view.number_of(4), std::nullopt);
}

TEST(View, NamesRangesOfUidsWithoutLookingAtEach) {
  const View view(overview_of({3, 5, 9, 12}), false, 13);
  const auto ranges = [&](std::string_view set, bool uid) {
    return view.resolve_ranges(*parse_sequence_set(set), uid);
  };
  EXPECT_EQ(ranges("1:2,4", false), (mailbox::UidSet{{3, 5}, {12, 12}}));
  EXPECT_EQ(ranges("9:*", false), (mailbox::UidSet{{12, 12}}));
  EXPECT_EQ(ranges("1:5", false), std::nullopt);
  EXPECT_EQ(ranges("2:10", true), (mailbox::UidSet{{2, 10}}));
  const View empty(overview_of({}), false, 1);
  EXPECT_EQ(empty.resolve_ranges(*parse_sequence_set("1:*"), false), mailbox::UidSet());
}

TEST(View, IsToldOfAllThatIsMissingWhenWhatVanishedIsForgotten) {
  // A folder that forgot what vanished names every gap, also of messages this session never knew.
  View view(overview_of({3, 5, 9, 12}), false, 13);
  std::string out;
  view.update(delta_of({}, {{1, 4}, {6, 8}, {10, 40}}), 41, {.expunge = true}, out);
  EXPECT_EQ(out, "* 4 EXPUNGE\r\n* 1 EXPUNGE\r\n");
  EXPECT_EQ(view.number_of(9), 2u);
}

TEST(View, PassesOverMailThatCameAndWentUnseen) {
  View view(overview_of({1}), false, 2);
  std::string out;
  auto news = delta_of({3}, {{2, 2}});
  view.update(news, 2, {.expunge = true}, out);
  EXPECT_EQ(out, "* 2 EXISTS\r\n* 1 RECENT\r\n");
  EXPECT_TRUE(view.is_recent(3));
}

}  // namespace
}  // namespace muhur::imap
