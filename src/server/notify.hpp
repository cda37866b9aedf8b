#pragma once
// Tells systemd how the service is (sd_notify's protocol: one datagram to $NOTIFY_SOCKET).

#include <string_view>

namespace muhur::server {

// "READY=1", "STOPPING=1", "RELOADING=1", "STATUS=…". Does nothing when nobody asked for it.
void notify_service_manager(std::string_view state);

}  // namespace muhur::server
