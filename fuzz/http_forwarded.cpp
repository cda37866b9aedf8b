// The Forwarded header: no crash, one field or several make no difference, and no address that is none.
#include <fmt/format.h>

#include "check.hpp"
#include "http/forwarded.hpp"
#include "http/server.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muhur;
  const std::string_view text = as_text({data, size});
  const auto whole = http::parse_forwarded({text});
  const auto with_another = http::parse_forwarded({text, "for=192.0.2.1"});
  FUZZ_CHECK(whole.has_value() == with_another.has_value() || whole->size() == 64);
  if (whole && with_another) FUZZ_CHECK(with_another->size() == whole->size() + 1);

  static const http::TrustedProxies proxies({"10.0.0.0/8"});
  http::Request request;
  request.headers.add("Forwarded", std::string(text));
  proxies.apply(request, {"10.0.0.1", 1, false}, false);
  FUZZ_CHECK(http::check_network(request.peer.address));
  FUZZ_CHECK(!request.peer.loopback);
  return 0;
}
