-- Sends the requests of a file in turn. The file has them in sequence, each terminated by a zero byte. In a request
-- `<eventId>` becomes a new UUID, `<customer>` one of a thousand numbers of four digits, and `<now>` the current second.

local requests = {}
local isTemplate = false
-- The part after the head of a template, when it has no placeholders: a large body is not searched for each request.
local body = ''
local turn = 0
local sent = 0

local function uuid()
  local random = math.random
  return string.format('%04x%04x-%04x-4%03x-8%03x-%04x%04x%04x', random(0, 65535), random(0, 65535), random(0, 65535),
    random(0, 4095), random(0, 4095), random(0, 65535), random(0, 65535), random(0, 65535))
end

local function fill(text)
  sent = sent + 1
  local values = {
    eventId = uuid(),
    customer = string.format('%04d', sent % 1000),
    now = os.date('!%Y-%m-%dT%H:%M:%S.000Z'),
  }
  return (text:gsub('<(%a+)>', values))
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for text in file:read('*a'):gmatch('([^%z]+)') do requests[#requests + 1] = text end
  file:close()
  isTemplate = requests[1]:find('<eventId>', 1, true) ~= nil
  local _, ends = requests[1]:find('\r\n\r\n', 1, true)
  if isTemplate and not requests[1]:find('<eventId>', ends, true) then
    body = requests[1]:sub(ends + 1)
    requests[1] = requests[1]:sub(1, ends)
  end
  math.randomseed(tonumber(args[2]))
end

function request()
  turn = turn % #requests + 1
  return isTemplate and fill(requests[turn]) .. body or requests[turn]
end

-- Durations are in microseconds; `statuses` and `others` count requests without a success response.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"count":%d,"microseconds":%d,"p50":%d,"p99":%d,"statuses":%d,"others":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
