/// One method of a service.
package struct CallMethod: Equatable, Sendable {
    /// How many messages go each way.
    package enum Shape: Sendable {
        /// One and one.
        case unary
        /// One, then many.
        case serverStreaming
        /// Many and many.
        case bidirectional
    }

    /// The method's name without the service, such as `Commit`.
    package let name: String
    /// How many messages go each way.
    package let shape: Shape
    /// Which of its methods this is to the service, so that the service need not compare names.
    package let number: Int

    /// Describes a method.
    package init(name: String, shape: Shape, number: Int) {
        self.name = name
        self.shape = shape
        self.number = number
    }
}
