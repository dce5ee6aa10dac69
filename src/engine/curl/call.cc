#include "engine/curl/call.hh"

#include <algorithm>
#include <new>

#include "http/text.hh"
#include "net/tls.hh"

namespace dyno {
namespace {

constexpr std::string_view kOwnServer = "httpdyno";

void append(curl_slist*& list, const std::string& text) {
  curl_slist* const longer = curl_slist_append(list, text.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  list = longer;
}

bool wants_body(const Config& config) {
  return !config.body.empty() || config.method == "POST" ||
         config.method == "PUT" || config.method == "PATCH";
}

// Without "Name:", libcurl would leave the field out.
std::string as_given(const std::string& header) {
  const size_t colon = header.find(':');
  const bool is_empty =
      trim(std::string_view(header).substr(colon + 1)).empty();
  return is_empty ? header.substr(0, colon) + ';' : header;
}

}  // namespace

CurlCall::CurlCall(const CurlRequest& request, const std::string& place,
                   Loop& loop, void* owner)
    : request_(request), loop_(loop), easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw std::bad_alloc();
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, owner);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_);
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, on_ready);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Whether a connection may be used again is the pool's business.
  curl_easy_setopt(easy_, CURLOPT_MAXAGE_CONN, 1'000'000'000L);
  set_request();
  set_headers();
  set_way(place);
  if (request.url.is_tls()) set_tls();
}

CurlCall::~CurlCall() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
}

void* CurlCall::owner_of(CURL* easy) {
  char* owner = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  return owner;
}

// --- what is asked -----------------------------------------------------------

void CurlCall::set_request() {
  const Config& config = *request_.config;
  Url url = request_.url;
  if (!config.tls_server_name.empty()) {
    url.host = config.tls_server_name;
    url.is_ipv6 = false;
  }
  const std::string text = url.scheme + "://" + url.authority() + url.target;
  curl_easy_setopt(easy_, CURLOPT_URL, text.c_str());
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  if (config.method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
  } else if (wants_body(config)) {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(config.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, config.body.data());
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, config.method.c_str());
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION,
                   config.http_version == HttpVersion::v2
                       ? CURL_HTTP_VERSION_2TLS
                       : CURL_HTTP_VERSION_1_1);
  if (config.compressed) curl_easy_setopt(easy_, CURLOPT_ACCEPT_ENCODING, "");
  if (config.follow == 0) return;
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy_, CURLOPT_MAXREDIRS, static_cast<long>(config.follow));
}

// Nothing that engine event would not send.
void CurlCall::set_headers() {
  const Config& config = *request_.config;
  bool has_host = false, has_close = false;
  const auto is_given = [&config](std::string_view name) {
    return std::ranges::any_of(config.headers, [name](std::string_view line) {
      return equals_ignoring_case(line.substr(0, line.find(':')), name);
    });
  };
  for (const std::string& header : config.headers) {
    append(headers_, as_given(header));
    const std::string_view name =
        std::string_view(header).substr(0, header.find(':'));
    has_host |= equals_ignoring_case(name, "host");
    has_close |= equals_ignoring_case(name, "connection");
  }
  for (const char* name : {"Accept", "Expect", "Content-Type"})
    if (!is_given(name)) append(headers_, std::string(name) + ':');
  if (!config.tls_server_name.empty() && !has_host)
    append(headers_, "Host: " + request_.url.authority());
  if (!config.keep_alive && !has_close) append(headers_, "Connection: close");
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
  if (request_.says_close || config.open == Open::per_request) {
    const bool stays_open = config.leak_on_done && !request_.says_close;
    curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, stays_open ? 0L : 1L);
  }
}

// The socket is made and connected by us: the names only tell connections
// apart.
void CurlCall::set_way(const std::string& place) {
  const Config& config = *request_.config;
  curl_easy_setopt(easy_, CURLOPT_NOPROXY, "");
  if (place.empty()) {
    curl_easy_setopt(easy_, CURLOPT_PROXY, config.proxy.c_str());
    return;
  }
  const std::string proxy = config.proxy.empty() ? "" : "http://" + place;
  curl_easy_setopt(easy_, CURLOPT_PROXY, proxy.c_str());
  if (!proxy.empty()) return;
  append(connect_to_, "::" + place + ':');
  curl_easy_setopt(easy_, CURLOPT_CONNECT_TO, connect_to_);
}

void CurlCall::set_tls() {
  const Config& config = *request_.config;
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER,
                   config.tls_insecure ? 0L : 1L);
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST,
                   config.tls_insecure ? 0L : 2L);
  curl_easy_setopt(easy_, CURLOPT_SSLVERSION,
                   config.tls_min_version == TlsVersion::v1_3
                       ? CURL_SSLVERSION_TLSv1_3
                       : CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy_, CURLOPT_SSL_SESSIONID_CACHE,
                   config.tls_resume ? 1L : 0L);
  if (!config.tls_ca.empty())
    curl_easy_setopt(easy_, CURLOPT_CAINFO, config.tls_ca.c_str());
  if (config.tls_cert.empty()) return;
  const std::string& key =
      config.tls_key.empty() ? config.tls_cert : config.tls_key;
  curl_easy_setopt(easy_, CURLOPT_SSLCERT, config.tls_cert.c_str());
  curl_easy_setopt(easy_, CURLOPT_SSLKEY, key.c_str());
}

// --- what came ---------------------------------------------------------------

void CurlCall::begin() {
  head_bytes_ = all_head_bytes_ = body_bytes_ = first_byte_ns_ = 0;
  length_.clear();
  is_own_server_ = false;
  fault_ = nullptr;
  error_[0] = '\0';
  readied_ = 0;
}

// libcurl 7.88 takes lengths that contradict each other, and text behind one.
bool CurlCall::check_length(std::string_view value) {
  while (!value.empty()) {
    const size_t comma = value.find(',');
    const std::string_view one = trim(value.substr(0, comma));
    const bool is_number =
        !one.empty() && one.size() < 19 &&
        one.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_same = length_.empty() || one == length_;
    if (!is_number || !is_same) return false;
    length_ = one;
    value = comma == value.npos ? "" : value.substr(comma + 1);
  }
  return !length_.empty();
}

bool CurlCall::take_header(std::string_view line) {
  const auto size = static_cast<int64_t>(line.size());
  if (line.starts_with("HTTP/")) {
    head_bytes_ = 0;
    length_.clear();
  }
  head_bytes_ += size;
  all_head_bytes_ += size;
  if (first_byte_ns_ == 0) first_byte_ns_ = loop_.now_ns();
  if (head_bytes_ > request_.config->head_limit) {
    fault_ = "the head is larger than http.head_limit";
    fault_kind_ = Failure::header_too_large;
    return false;
  }
  const char first = to_lower(line.front());
  if (first != 'c' && first != 's') return true;
  const std::string_view name = line.substr(0, line.find(':'));
  const std::string_view value =
      trim(line.substr(std::min(name.size() + 1, line.size())));
  if (equals_ignoring_case(name, "server"))
    is_own_server_ = value.starts_with(kOwnServer);
  if (!equals_ignoring_case(name, "content-length") || check_length(value))
    return true;
  fault_ = "Content-Length makes no sense";
  fault_kind_ = Failure::protocol;
  return false;
}

size_t CurlCall::on_header(char* data, size_t, size_t size,
                           void* self) noexcept {
  return static_cast<CurlCall*>(self)->take_header({data, size}) ? size : 0;
}

size_t CurlCall::on_body(char*, size_t, size_t size, void* self) noexcept {
  static_cast<CurlCall*>(self)->body_bytes_ += static_cast<int64_t>(size);
  return size;
}

int CurlCall::on_ready(void* self, char*, char*, int, int) noexcept {
  CurlCall& call = *static_cast<CurlCall*>(self);
  ++call.readied_;
  if (call.hook_ != nullptr) call.hook_(owner_of(call.easy_));
  return CURL_PREREQFUNC_OK;
}

CurlCall::Handshake CurlCall::handshake() const {
  Handshake made;
  curl_off_t connected_us = 0, ready_us = 0;
  curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connected_us);
  curl_easy_getinfo(easy_, CURLINFO_APPCONNECT_TIME_T, &ready_us);
  made.took_ns = std::max<int64_t>(ready_us - connected_us, 0) * kMicrosecond;
  curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &session);
  if (session != nullptr && session->internals != nullptr)
    made.was_resumed = tls_was_resumed(session->internals);
  return made;
}

int64_t CurlCall::bytes_in() const {
  return all_head_bytes_ + body_bytes_;
}

int64_t CurlCall::bytes_out() const {
  long head = 0;
  curl_off_t body = 0;
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &head);
  curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &body);
  return head + body;
}

int64_t CurlCall::requests_sent() const {
  long bytes = 0, redirects = 0;
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &bytes);
  curl_easy_getinfo(easy_, CURLINFO_REDIRECT_COUNT, &redirects);
  return bytes > 0 ? 1 + redirects : 0;
}

// --- how it ended ------------------------------------------------------------

Failure CurlCall::failure_of(CURLcode code, bool was_reset) const {
  long proxy_status = 0;
  curl_easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (proxy_status >= 300) return Failure::proxy;
  switch (code) {
    case CURLE_PARTIAL_FILE:
      return was_reset ? Failure::reset : Failure::truncated;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_COULDNT_CONNECT:
      if (was_reset) return Failure::reset;
      return all_head_bytes_ > 0 ? Failure::truncated : Failure::closed;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return Failure::tls;
    case CURLE_TOO_MANY_REDIRECTS:
      return Failure::too_many_redirects;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
      return Failure::proxy;
    case CURLE_OPERATION_TIMEDOUT:
      return Failure::connect_timeout;
    default:
      return Failure::protocol;
  }
}

CurlCall::Outcome CurlCall::outcome(CURLcode code, bool was_reset) const {
  Outcome made;
  long status = 0, redirects = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy_, CURLINFO_REDIRECT_COUNT, &redirects);
  made.is_complete = code == CURLE_OK;
  made.answer.count = 1;
  made.answer.status = static_cast<uint16_t>(std::clamp(status, 0L, 999L));
  made.answer.own_server = is_own_server_;
  made.answer.body_bytes = static_cast<uint64_t>(body_bytes_);
  made.answer.first_byte_ns = first_byte_ns_;
  if (made.is_complete) return made;
  made.in_answer = all_head_bytes_ > 0;
  made.is_dial = readied_ == 0;
  if (fault_ != nullptr) {
    made.kind = fault_kind_;
    made.detail = fault_;
    return made;
  }
  made.kind = failure_of(code, was_reset);
  made.detail = error_[0] != '\0' ? error_ : curl_easy_strerror(code);
  if (code == CURLE_COULDNT_CONNECT && redirects > 0) {
    made.kind = Failure::too_many_redirects;
    made.detail = "redirected to another server, which is not followed";
  } else if (made.kind == Failure::closed) {
    made.detail = "closed without an answer";
  }
  return made;
}

}  // namespace dyno
