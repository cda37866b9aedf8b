// Asio's own code, compiled once here (BOOST_ASIO_SEPARATE_COMPILATION) instead of in every file.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
