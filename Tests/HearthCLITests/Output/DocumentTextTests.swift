import Testing

@testable import HearthCLI

struct DocumentTextTests {
    private let hall = DocumentText(
        path: "rooms/hall",
        fields: .map([
            .init(name: "lights", value: .integer(3)), .init(name: "a b", value: .double(1)),
        ]), hasPendingWrites: true, isFromCache: true)
    private let none = DocumentText(
        path: "rooms/none", fields: nil, hasPendingWrites: false, isFromCache: false)

    @Test func `people read a line for each field`() {
        #expect(
            hall.lines == ["rooms/hall (from cache, pending)", "  lights: 3", "  `a b`: 1.0"])
        #expect(hall.line == "rooms/hall {\"lights\": 3, \"a b\": 1.0} (pending)")
        #expect(none.lines == ["rooms/none does not exist"])
    }

    @Test func `programs read a line for each document`() {
        #expect(
            hall.report.line
                == #"{"path":"rooms/hall","exists":true,"fields":{"lights":3,"a b":1.0},"#
                + #""isFromCache":true,"hasPendingWrites":true}"#)
        #expect(
            none.report.line
                == #"{"path":"rooms/none","exists":false,"fields":null,"#
                + #""isFromCache":false,"hasPendingWrites":false}"#)
    }
}
