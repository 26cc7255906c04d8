import HearthModel
import Testing

@testable import HearthBackend

/// What the hosted service refuses is refused when an emulator is asked to.
struct HostedLimitsTests {
    private func spec(_ json: String, _ change: (inout HostedLimits) -> Void) -> RealtimeSpec {
        var spec = RealtimeSpec(json)
        var limits = HostedLimits()
        change(&limits)
        spec.backend.hostedLimits = limits
        return spec
    }

    @Test func `more than may be read at once is refused, and there is no such listen`() {
        var spec = spec(#"{"a":{"x":"some text","y":"more text"},"b":1}"#) {
            $0.readByteCountMax = 20
        }
        #expect(spec.get("/a") == ["too_big"])
        #expect(spec.listen(1, "/a") == ["too_big"])
        #expect(spec.watch(2, "/a") == ["too_big"])
        #expect(spec.call(.read, "/a").status == .badRequest)
        #expect(spec.put(3, "/a/x", "1") == ["ok"])
        #expect(spec.listen(1, "/b") == ["1 d /b 1", "ok"])
        #expect(spec.get("/a/y") == [#""more text""#])
    }

    @Test func `more writes than a minute has room for are refused until the next`() {
        var spec = spec("null") { $0.minuteWriteCountMax = 2 }
        #expect(spec.put(1, "/a", "1") == ["ok"])
        #expect(spec.put(1, "/a", "2") == ["ok"])
        #expect(spec.put(1, "/a", "3") == ["unavailable"])
        #expect(spec.call(.put(written("4")), "/a").status == .serviceUnavailable)
        #expect(spec.tree == #"{"a":2}"#)
        spec.now = spec.now.advanced(by: .seconds(60))
        #expect(spec.put(1, "/a", "5") == ["ok"])
    }

    @Test func `more bytes than a minute has room for are refused, and smaller ones go on`() {
        var spec = spec("null") { $0.minuteWriteByteCountMax = 40 }
        #expect(spec.put(1, "/a", #""twenty letters, or so""#) == ["ok"])
        #expect(spec.put(1, "/b", #""twenty letters, or so""#) == ["unavailable"])
        #expect(spec.put(1, "/c", "1") == ["ok"])
    }

    @Test func `without the limits there are none`() {
        var spec = RealtimeSpec()
        for number in 0..<70_000 {
            _ = spec.backend.take(
                .put(place("/a"), written("\(number)"), hash: nil), from: .init(1), at: spec.now)
            _ = spec.backend.takeEffects()
        }
        #expect(spec.tree == #"{"a":69999}"#)
    }
}
