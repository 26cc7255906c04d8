package import HearthModel

/// One call of REST, as the shell read it.
package struct RealtimeCall: Sendable {
    /// What is to be done.
    package enum Verb: Sendable {
        /// GET.
        case read
        /// PUT.
        case put(UnresolvedNode)
        /// PATCH.
        case merge([RealtimeChange.Part])
        /// POST: put under a new name.
        case push(UnresolvedNode)
        /// DELETE.
        case remove
    }

    /// Where.
    package let place: WritePath
    /// What is to be done.
    package let verb: Verb
    /// How.
    package var parameters = RealtimeCallParameters()
    /// The value of `If-Match`.
    package var ifMatch: String?
    /// The value of `If-None-Match`.
    package var ifNoneMatch: String?
    /// Whether `X-Firebase-ETag` asks for the hash of the present content.
    package var wantsTag = false

    /// A call without conditions.
    package init(_ verb: Verb, at place: WritePath) {
        self.verb = verb
        self.place = place
    }
}
