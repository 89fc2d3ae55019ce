-- Sends the request bodies of a file, a line each, in turn, and prints what came of it as JSON.
local requests, sent = {}, 0

function init(args)
   wrk.method = "POST"
   for body in io.lines(args[1]) do
      requests[#requests + 1] = wrk.format(nil, nil, nil, body)
   end
end

function request()
   sent = sent % #requests + 1
   return requests[sent]
end

function done(summary, latency, _)
   local e = summary.errors
   io.write(string.format('\n{"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
      summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
      e.status, e.connect + e.read + e.write + e.timeout))
end
