import Testing

@testable import HearthRPC

/// A service's methods between their names and their numbers.
struct MethodTableTests {
    private enum Method: String, CaseIterable, Sendable {
        case say = "Say"
        case count = "Count"
        case talk = "Talk"
    }

    private static let table = MethodTable<Method>(service: "echo.Echo") { method in
        CallMethod.Shape(
            hasManyRequests: method == .talk, hasManyAnswers: method != .say)
    }

    @Test func `a path leads to the method that the service switches over`() throws {
        for method in Method.allCases {
            let call = try #require(Self.table.call(at: "/echo.Echo/\(method.rawValue)"))
            #expect(call == Self.table.call(of: method))
            #expect(call.name == method.rawValue)
            #expect(Self.table.method(of: call) == method)
        }
    }

    @Test func `what a method sends each way gives its shape`() {
        let shapes = Method.allCases.map { Self.table.call(of: $0).shape }
        #expect(shapes == [.unary, .serverStreaming, .bidirectional])
    }

    @Test func `another service's path leads nowhere`() {
        for path in ["/echo.Other/Say", "echo.Echo/Say", "/echo.Echo/say", "/echo.Echo/", ""] {
            #expect(Self.table.call(at: path) == nil)
        }
    }
}
