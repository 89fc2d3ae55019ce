-- Sends the request bodies of a file, a line each, in turn, and prints what came of it as JSON. Threads share the
-- bodies out among them, so that none is sent twice before all were sent.
local requests, sent, threads = {}, 0, 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init(args)
   wrk.method = "POST"
   local line, of = 0, tonumber(args[2])
   for body in io.lines(args[1]) do
      if line % of == number % of then
         requests[#requests + 1] = wrk.format(nil, nil, nil, body)
      end
      line = line + 1
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
