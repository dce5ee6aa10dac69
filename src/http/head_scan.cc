#include "http/head_scan.hh"

#include <llhttp.h>

namespace dyno {

// Deviations. llhttp 8.1 (built with LLHTTP_STRICT_MODE) splits heads into
// fields well, but means other things by some of them than RFC 9112, so only
// its lines are used and every meaning is ours. http_head_parser_test,
// http_response_test and http_request_head_test assert each row.
//
//   bytes                            llhttp               here
//   Content-Length: 5, 5             refused              5 (6.3 rule 5)
//   Content-Length: 5 twice          refused              5 (6.3 rule 5)
//   Content-Length: 5, CR LF SP CR LF  refused            5 (5.2)
//   Content-Length of 2^64 - 1       taken                refused: 63 bits
//   invalid length in 204, 304, 1xx, HEAD  refused        ignored (6.3 rule 1)
//   Content-Length beside chunked    refused              answer: chunked wins
//                                                         (6.3 rule 3)
//   Transfer-Encoding: chunked SP, or chunked and a comma,
//     or gzip, folded, chunked       not chunked          chunked (9110 5.6.1)
//   Proxy-Connection: close          closes               ignored
//   an answer after empty lines      taken                refused
//   HTTP/2.0 or HTTP/0.9 in a head   taken                refused
//   HTTP/1.1 20, 099, two spaces     taken                refused (section 4)
//   a lone LF after the start line, or before the last line
//                                    taken                refused, as llhttp
//                                                         does elsewhere (2.2)
//   : value (no name)                taken                refused
//   RTSP, ICE and HTTP/0.9 requests  taken                refused
//   # in a request target            taken                refused (3.2)
//   HTTP/1.2 … 1.9                   refused              refused (2.3 would
//                                                         take them; none
//                                                         exist)
//   status line without its last SP  taken                taken (section 4)
//   methods it does not know         refused              refused

namespace {

// What the callbacks of one llhttp_execute() work on.
struct Job {
  HeadScan scan;
  std::string_view name;
  std::string_view value;
};

Job& job_of(llhttp_t* parser) {
  return *static_cast<Job*>(parser->data);
}

int on_target(llhttp_t* parser, const char* at, size_t size) {
  job_of(parser).scan.target = {at, size};
  return 0;
}

int on_name(llhttp_t* parser, const char* at, size_t size) {
  job_of(parser).name = {at, size};
  job_of(parser).value = {};
  return 0;
}

int on_name_end(llhttp_t* parser) {
  Job& job = job_of(parser);
  if (job.name.empty()) {
    job.scan.reason = "a field without a name";
    return HPE_USER;
  }
  // llhttp notes here that this is a field which it reads itself; 0 makes it
  // one like any other.
  parser->header_state = 0;
  return 0;
}

// A folded value comes in pieces; it is one slice, from the first to the last.
int on_value(llhttp_t* parser, const char* at, size_t size) {
  Job& job = job_of(parser);
  const char* begin = job.value.data() == nullptr ? at : job.value.data();
  job.value = {begin, static_cast<size_t>(at + size - begin)};
  return 0;
}

int on_value_end(llhttp_t* parser) {
  Job& job = job_of(parser);
  job.scan.fields.read(job.name, job.value);
  return 0;
}

int on_head_end(llhttp_t*) {
  return HPE_PAUSED;
}

const llhttp_settings_t* settings() {
  static const llhttp_settings_t made = [] {
    llhttp_settings_t blank;
    llhttp_settings_init(&blank);
    blank.on_url = on_target;
    blank.on_header_field = on_name;
    blank.on_header_field_complete = on_name_end;
    blank.on_header_value = on_value;
    blank.on_header_value_complete = on_value_end;
    blank.on_headers_complete = on_head_end;
    return blank;
  }();
  return &made;
}

bool has_lone_lf(std::string_view head) {
  for (size_t at = head.find('\n'); at != head.npos;
       at = head.find('\n', at + 1))
    if (at == 0 || head[at - 1] != '\r') return true;
  return false;
}

HeadScan scan_head(llhttp_type_t type, std::string_view data) {
  Job job;
  llhttp_t parser;
  llhttp_init(&parser, type, settings());
  parser.data = &job;
  const llhttp_errno_t error =
      llhttp_execute(&parser, data.data(), data.size());
  HeadScan& scan = job.scan;
  if (error == HPE_PAUSED) {
    scan.what = HeadScan::complete;
    scan.head_bytes =
        static_cast<size_t>(llhttp_get_error_pos(&parser) - data.data());
  } else if (error != HPE_OK) {
    scan.what = HeadScan::malformed;
    if (*scan.reason == '\0') scan.reason = llhttp_get_error_reason(&parser);
    return scan;
  }
  const size_t looked_at =
      scan.what == HeadScan::complete ? scan.head_bytes : data.size();
  if (has_lone_lf(data.substr(0, looked_at))) {
    scan.what = HeadScan::malformed;
    scan.reason = "a line that ends with LF alone";
  }
  if (type == HTTP_REQUEST && scan.what == HeadScan::complete)
    scan.method =
        llhttp_method_name(static_cast<llhttp_method_t>(parser.method));
  return scan;
}

}  // namespace

HeadScan scan_request_head(std::string_view data) {
  return scan_head(HTTP_REQUEST, data);
}

HeadScan scan_response_head(std::string_view data) {
  return scan_head(HTTP_RESPONSE, data);
}

}  // namespace dyno
