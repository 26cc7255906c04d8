import HearthModel
import Testing

@testable import HearthEmulator

struct FaultWishTests {
    private func wish(_ text: String) throws -> FaultWish {
        try FaultWish(json: try JSONReader.read(Array(text.utf8)))
    }

    @Test func `a wish is read, and comes back`() throws {
        let text = #"""
            {"faults":[{"method":"Commit","kind":"delay","milliseconds":50,"calls":3},
            {"kind":"refuse","code":"UNAVAILABLE","message":"No."},{"kind":"loseAnswer"},
            {"method":"Listen","kind":"cutStream","messages":2},
            {"method":"Write","kind":"applyLate","milliseconds":5000},
            {"kind":"slowStream","milliseconds":5},
            {"method":"Realtime.Connect","kind":"noPong"},
            {"method":"Realtime.Connect","kind":"foreignHost","host":"b.example"}],"clockStepMilliseconds":-1500}
            """#
        let found = try wish(text)
        #expect(
            found.faults == [
                Fault(method: "Commit", .delay(.milliseconds(50)), callCount: 3),
                Fault(.refuse(HearthError(code: .unavailable, message: "No."))),
                Fault(.loseAnswer), Fault(method: "Listen", .cutStream(afterMessageCount: 2)),
                Fault(method: "Write", .applyLate(.seconds(5))),
                Fault(.slowStream(.milliseconds(5))), Fault(method: "Realtime.Connect", .noPong),
                Fault(method: "Realtime.Connect", .foreignHost("b.example")),
            ])
        #expect(found.clockStep == .milliseconds(-1_500))
        #expect(try wish(String(decoding: found.json, as: UTF8.self)) == found)
    }

    @Test(arguments: [
        "[]", #"{"fault":[]}"#, #"{"faults":{}}"#, #"{"faults":[{}]}"#,
        #"{"faults":[{"kind":"applyLate","milliseconds":5}]}"#,
        #"{"faults":[{"kind":"delay"}]}"#, #"{"faults":[{"kind":"delay","milliseconds":-1}]}"#,
        #"{"faults":[{"kind":"refuse","code":"OK"}]}"#,
        #"{"faults":[{"kind":"refuse","code":"WHY"}]}"#,
        #"{"faults":[{"kind":"loseAnswer","method":"commit"}]}"#,
        #"{"faults":[{"kind":"loseAnswer","calls":0}]}"#,
        #"{"faults":[{"method":"Realtime.Put","kind":"noPong"}]}"#,
        #"{"faults":[{"method":"Realtime.Connect","kind":"foreignHost"}]}"#,
        #"{"faults":[{"kind":"loseAnswer","often":1}]}"#, #"{"clockStepMilliseconds":"1"}"#,
        #"{"clockStepMilliseconds":-9223372036854775808}"#,
    ])
    func `what is no wish is refused`(text: String) {
        let error = #expect(throws: HearthError.self) { try wish(text) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: [
        ("Commit:delay=200ms*3", Fault(method: "Commit", .delay(.milliseconds(200)), callCount: 3)),
        ("any:loseAnswer", Fault(.loseAnswer)),
        ("Listen:cutStream=5", Fault(method: "Listen", .cutStream(afterMessageCount: 5))),
        ("RunQuery:slowStream=50ms", Fault(method: "RunQuery", .slowStream(.milliseconds(50)))),
        (
            "Realtime.Put:refuse=datastale",
            Fault(
                method: "Realtime.Put",
                .refuse(
                    HearthError(
                        code: .aborted, message: "The data has changed since it was read.")))
        ),
        (
            "Realtime.Connect:foreignHost=b.example:9",
            Fault(method: "Realtime.Connect", .foreignHost("b.example:9"))
        ),
        (
            "any:refuse=ABORTED*2",
            Fault(
                .refuse(HearthError(code: .aborted, message: "Refused, as the test wished.")),
                callCount: 2)
        ),
    ])
    func `a flag is read`(text: String, fault: Fault) throws {
        #expect(try FaultWish.fault(text) == fault)
    }

    @Test(arguments: ["", "Commit", "Commit:", "commit:loseAnswer", "any:delay=5s", "any:delay*x"])
    func `what is no flag is refused`(text: String) {
        #expect(throws: HearthError.self) { try FaultWish.fault(text) }
    }
}
