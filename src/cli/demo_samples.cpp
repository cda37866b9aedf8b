#include "cli/demo_samples.hpp"

namespace muhur::cli::demo {

const std::string_view kSealPng =
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqvAAAAaUlEQVR42uXUsQ4AEAwE0PsMo/8f\r\n"
    "/SCjhLb0ciZiIn2kpeiigWCvlbrMHLTH34ggFNMCp+wWaGWxECs39z1A2VLakBnmWRPyDkmtwzsh\r\n"
    "zsjvEJ9sWfkfPkj+i8g+rbKNKBubstUqmz83Bs/5GXEEmvWQAAAAAElFTkSuQmCC\r\n";

const std::string_view kSignedPart =
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Transfer-Encoding: 7bit\r\n"
    "\r\n"
    "Hello Alice,\r\n"
    "\r\n"
    "the contract is fine with us. This mail is signed, so that you can tell that\r\n"
    "nobody changed a word of it on the way.\r\n"
    "\r\n"
    "Deniz\r\n";

const std::string_view kSignature =
    "MIIDJwYJKoZIhvcNAQcCoIIDGDCCAxQCAQExDTALBglghkgBZQMEAgEwCwYJKoZI\r\n"
    "hvcNAQcBoIIByTCCAcUwggFroAMCAQICFHC4F4H3GDsWYhFXQw3zohmXAAtBMAoG\r\n"
    "CCqGSM49BAMCMDcxEzARBgNVBAMMCkRlbml6IEtheWExIDAeBgkqhkiG9w0BCQEW\r\n"
    "EWRlbml6QGV4YW1wbGUuY29tMCAXDTI2MTEzMDEwMzAwM1oYDzIxMjYxMTA2MTAz\r\n"
    "MDAzWjA3MRMwEQYDVQQDDApEZW5peiBLYXlhMSAwHgYJKoZIhvcNAQkBFhFkZW5p\r\n"
    "ekBleGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLShVwCmSu8S\r\n"
    "aJXiooSvM0sDqCC7sdqs/GdtwLglp//4Y/H7MzUvX7JoCWZ03R/+emVqX9kNv7Kx\r\n"
    "a/il8vYHewOjUzBRMB0GA1UdDgQWBBT0Cp1dcMZWUHWatnJpxI4euKeXmjAfBgNV\r\n"
    "HSMEGDAWgBT0Cp1dcMZWUHWatnJpxI4euKeXmjAPBgNVHRMBAf8EBTADAQH/MAoG\r\n"
    "CCqGSM49BAMCA0gAMEUCICfaS9WL7DuNXgWC4kvMv+wMKs1fhFSwuiM5wmVoyIl6\r\n"
    "AiEA0jgJP4ucd04UnH6ih5bnzCA53f4uS0Fqp9Hf5ioekdoxggEkMIIBIAIBATBP\r\n"
    "MDcxEzARBgNVBAMMCkRlbml6IEtheWExIDAeBgkqhkiG9w0BCQEWEWRlbml6QGV4\r\n"
    "YW1wbGUuY29tAhRwuBeB9xg7FmIRV0MN86IZlwALQTALBglghkgBZQMEAgGgaTAY\r\n"
    "BgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwGCSqGSIb3DQEJBTEPFw0yNjExMzAx\r\n"
    "MDMwMDNaMC8GCSqGSIb3DQEJBDEiBCD3sFQ2S3C2HO5GE/syljA4R+T4mNmtfJY2\r\n"
    "4ykLgSWQ+zAKBggqhkjOPQQDAgRGMEQCID3O9uj9nNOPvg0arEx6Dv+1NukUHEaN\r\n"
    "nkcluyI68S8jAiAtBSFH9e+gds/kU5pzYwDGjMZNArJibvmqPZj9Hbxeeg==\r\n";

}  // namespace muhur::cli::demo
