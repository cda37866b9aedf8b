#include "server/notify.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

TEST(NotifyTest, TheStateArrivesAsOneDatagram) {
  const TempDirectory temp;
  const auto path = (temp.path / "notify").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  notify_service_manager("READY=1");
  unsetenv("NOTIFY_SOCKET");
  char buffer[64] = {};
  ASSERT_EQ(recv(fd, buffer, sizeof buffer, MSG_DONTWAIT), 7);
  EXPECT_STREQ(buffer, "READY=1");
  close(fd);
}

TEST(NotifyTest, NobodyAskedAndNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  notify_service_manager("READY=1");
  setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
  notify_service_manager("READY=1");
  unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace muhur::server
