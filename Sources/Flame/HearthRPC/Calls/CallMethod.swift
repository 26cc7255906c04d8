/// One method of a service.
package struct CallMethod: Equatable, Sendable {
    /// How many messages go each way.
    package enum Shape: Sendable {
        /// One request and one answer.
        case unary
        /// One request, then many answers.
        case serverStreaming
        /// Many requests and many answers.
        case bidirectional

        /// The shape of a method that may have many requests or many answers.
        ///
        /// - Precondition: A method of many requests has many answers; no service of ours has only
        ///   the former.
        package init(hasManyRequests: Bool, hasManyAnswers: Bool) {
            precondition(hasManyAnswers || !hasManyRequests, "many requests, but one answer")
            self = hasManyRequests ? .bidirectional : hasManyAnswers ? .serverStreaming : .unary
        }
    }

    /// The method's name without the service, such as `Commit`.
    package let name: String
    /// How many messages go each way.
    package let shape: Shape
    /// The method's number in its service; the number saves the service comparing names.
    package let number: Int

    /// Describes a method.
    ///
    /// - Parameters:
    ///   - name: The method's name without the service, such as `Commit`.
    ///   - shape: How many messages go each way.
    ///   - number: The method's number in its service.
    package init(name: String, shape: Shape, number: Int) {
        self.name = name
        self.shape = shape
        self.number = number
    }

    /// The path of a method's calls, such as `/google.firestore.v1.Firestore/Commit`.
    package static func path(of name: String, in service: String) -> String {
        "/\(service)/\(name)"
    }
}
