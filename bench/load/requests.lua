-- wrk's side of bench/load/requests.ts: reads METHOD PATH BODY lines and sends them one after the other, for ever.
-- Arguments: the file, then pairs of header name and value. Prints one line of JSON at the end.

local prepared = {}
local at = 0
local threadCount = 0

function setup(thread)
  thread:set("threadNumber", threadCount)
  threadCount = threadCount + 1
end

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  for i = 2, #args - 1, 2 do headers[args[i]] = args[i + 1] end
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%S+) (%S+) (.*)$")
    if body == "" then body = nil end
    prepared[#prepared + 1] = wrk.format(method, path, headers, body)
  end
  -- Threads start at different places, so that they do not send the same request at the same time.
  at = (threadNumber * 7919) % #prepared
end

function request()
  at = at % #prepared + 1
  return prepared[at]
end

function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50Micros":%d,"p99Micros":%d,"maxMicros":%d,"badStatus":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max,
    summary.errors.status, failed))
end
