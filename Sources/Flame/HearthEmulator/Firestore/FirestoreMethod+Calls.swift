import HearthProtocol
import HearthRPC

/// The methods as connections know them.
extension FirestoreMethod {
    private static let table = MethodTable<FirestoreMethod>(service: service) {
        CallMethod.Shape(hasManyRequests: $0.hasManyRequests, hasManyAnswers: $0.hasManyAnswers)
    }

    /// How many messages go each way.
    var shape: CallMethod.Shape { call.shape }

    /// The method of a path such as `/google.firestore.v1.Firestore/Commit`; `nil` if there is none.
    init?(path: String) {
        guard let call = Self.call(at: path) else { return nil }
        self.init(call)
    }

    /// The method that a connection looked up.
    init(_ call: CallMethod) {
        self = Self.table.method(of: call)
    }

    /// The `CallMethod` at a path; `nil` if the path names no method.
    static func call(at path: String) -> CallMethod? { table.call(at: path) }

    /// The method in the form that connections use.
    var call: CallMethod { Self.table.call(of: self) }
}
