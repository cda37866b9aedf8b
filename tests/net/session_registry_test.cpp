#include "net/session_registry.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>

namespace muhur::net {
namespace {

TEST(SessionRegistry, StopsThoseThatAreThereOnTheirExecutor) {
  boost::asio::io_context io;
  SessionRegistry registry;
  int first = 0, second = 0;
  {
    const auto gone = registry.enter(io.get_executor(), [&] { ++first; });
  }
  const auto place = registry.enter(io.get_executor(), [&] { ++second; });
  registry.shutdown();
  EXPECT_EQ(second, 0) << "posted, not called";
  io.run();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(SessionRegistry, StopsWhoComesLater) {
  boost::asio::io_context io;
  SessionRegistry registry;
  registry.shutdown();
  int stopped = 0;
  const auto place = registry.enter(io.get_executor(), [&] { ++stopped; });
  io.run();
  EXPECT_EQ(stopped, 1);
}

TEST(SessionRegistry, APlaceMayOutliveIt) {
  boost::asio::io_context io;
  auto registry = std::make_unique<SessionRegistry>();
  const auto place = registry->enter(io.get_executor(), [] {});
  registry.reset();
}

}  // namespace
}  // namespace muhur::net
