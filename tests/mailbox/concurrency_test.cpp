#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

using ConcurrencyTest = MailboxTest;

TEST_F(ConcurrencyTest, EightThreadsAppendWhileReadersListAndNothingIsLostOrTorn) {
  constexpr int kThreads = 8, kEach = 25;
  const FolderId inbox = id("INBOX");
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      std::size_t last = 0;
      while (!done) {
        const auto delta = box_->list(inbox);
        if (!delta || delta->changed.size() != delta->folder.messages || delta->changed.size() < last) {
          ++wrong;
          continue;
        }
        last = delta->changed.size();
        for (std::size_t i = 0; i < delta->changed.size(); ++i)
          if (delta->changed[i].uid != i + 1) ++wrong;
      }
    });
  std::vector<std::thread> writers;
  std::array<std::vector<std::pair<Uid, std::string>>, kThreads> acknowledged;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string message = simple(fmt::format("{}/{}", t, i));
        const auto appended = box_->append({.folder = inbox, .message = message});
        if (appended)
          acknowledged[static_cast<std::size_t>(t)].emplace_back(appended->uid, message);
        else
          ++wrong;
      }
    });
  for (auto& writer : writers) writer.join();
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(must(box_->folder(inbox)).messages, kThreads * kEach);
  for (const auto& list : acknowledged)
    for (const auto& [uid, message] : list) EXPECT_EQ(bytes(uid), message);
}

// Seen elsewhere: FETCH by a slow reader held a lock that blocked delivery.
TEST_F(ConcurrencyTest, AReaderInTheMiddleOfAMessageBlocksNoDelivery) {
  put(simple("large", noise(1'000'000, 1)));
  Content content = must(box_->content(row(1).email));
  must(content.read(0, 100'000));
  auto lease = must(box_->database().borrow());
  EXPECT_EQ(must(lease->query_int("SELECT count(*) FROM messages")), 1);
  EXPECT_EQ(put(simple("delivered meanwhile")), 2u);
  EXPECT_EQ(must(lease->query_int("SELECT count(*) FROM messages")), 1) << "its snapshot stands";
  EXPECT_EQ(must(content.read(500'000, 10)).size(), 10u);
}

TEST_F(ConcurrencyTest, FlagsSetByManyThreadsAreAllKept) {
  for (int i = 0; i < 8; ++i) put(simple("x"));
  std::vector<std::thread> threads;
  const FolderId inbox = id("INBOX");
  for (int t = 0; t < 8; ++t)
    threads.emplace_back(
        [&, t] { must(box_->store(inbox, kAll, FlagChange::add, {0, {fmt::format("k{}", t)}})); });
  for (auto& thread : threads) thread.join();
  for (Uid uid = 1; uid <= 8; ++uid) EXPECT_EQ(row(uid).flags.keywords.size(), 8u);
}

}  // namespace
}  // namespace muhur::mailbox::test
