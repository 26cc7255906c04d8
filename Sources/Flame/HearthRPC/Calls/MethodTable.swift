/// The methods of a service, each with the `CallMethod` that connections use for the method.
package struct MethodTable<Method>: Sendable
where Method: CaseIterable & RawRepresentable<String> & Hashable & Sendable {
    /// The methods in the order of `CallMethod.number`.
    private let methods: [Method]
    private let calls: [Method: CallMethod]
    private let callsByPath: [String: CallMethod]

    /// Numbers the methods of a service.
    ///
    /// - Parameters:
    ///   - service: The service's full name, such as `google.firestore.v1.Firestore`.
    ///   - shape: Tells how many messages a method sends each way.
    package init(service: String, shape: (Method) -> CallMethod.Shape) {
        methods = Array(Method.allCases)
        let calls = methods.enumerated().map { number, method in
            CallMethod(name: method.rawValue, shape: shape(method), number: number)
        }
        self.calls = Dictionary(uniqueKeysWithValues: zip(methods, calls))
        callsByPath = Dictionary(
            uniqueKeysWithValues: calls.map { (CallMethod.path(of: $0.name, in: service), $0) })
    }

    /// The `CallMethod` at a path such as `/google.firestore.v1.Firestore/Commit`; `nil` if the path
    /// names no method.
    package func call(at path: String) -> CallMethod? { callsByPath[path] }

    /// The `CallMethod` of a method.
    package func call(of method: Method) -> CallMethod {
        guard let call = calls[method] else {
            preconditionFailure("\(method) is not among its type's cases")
        }
        return call
    }

    /// The method that a connection looked up in this table.
    package func method(of call: CallMethod) -> Method { methods[call.number] }
}
