import HearthModel

/// The news of one document in the messages of one event.
///
/// The news has the present document, and the document's change in each listen that a message
/// named.
struct DocumentNews: Sendable {
    /// What happened to a document in a listen.
    enum Change: Sendable { case added, modified, removed }

    /// What a message told of the document itself.
    enum Word: Sendable {
        /// It is there.
        case found
        /// It does not exist.
        case missing
        /// It is not in the listen's result, for whatever reason.
        case gone
    }

    /// What was last told of a document in a listen.
    struct Note: Sendable {
        /// The listen.
        let wire: WireTargetID
        /// Its target.
        let target: TargetID
        /// How often the listen had been reset.
        let epoch: Int
        /// What happened; `nil` if the document came and went.
        var change: Change?
        /// The last word of the document itself.
        let word: Word
    }

    /// What happened in one listen, document by document.
    struct Lists {
        private(set) var added: [DocumentKey] = []
        private(set) var modified: [DocumentKey] = []
        private(set) var removed: [DocumentKey] = []

        /// Adds a document.
        mutating func append(_ key: DocumentKey, _ change: Change?) {
            switch change {
            case .added: added.append(key)
            case .modified: modified.append(key)
            case .removed: removed.append(key)
            case nil: break
            }
        }
    }

    /// What the document now is; `nil` if nobody said.
    private(set) var document: Document?
    /// Nearly always one listen names a document.
    private var first: Note?
    private var others: [Note] = []
    private var fieldByteCount = 0

    /// About how much memory the news takes beside the document's name. O(1).
    var byteCount: Int {
        MemoryLayout<Self>.stride + fieldByteCount + others.count * MemoryLayout<Note>.stride
    }

    /// No news.
    init() {}

    /// Takes what a message tells.
    ///
    /// - Parameters:
    ///   - note: What the message tells of a listen.
    ///   - document: The document now; `nil` if the message does not say.
    ///   - growth: How much more memory the news takes afterwards is added here.
    /// - Returns: What had happened in the listen before, as far as it counts.
    mutating func take(_ note: Note, now document: Document?, _ growth: inout Int) -> Change? {
        let before = first == nil ? 0 : byteCount
        defer { growth += byteCount - before }
        if let document {
            fieldByteCount = document.fields.memoryByteCount
            self.document = document
        }
        guard let first, first.wire != note.wire else {
            defer { self.first = note }
            return first.flatMap { $0.epoch == note.epoch ? $0.change : nil }
        }
        guard let place = others.firstIndex(where: { $0.wire == note.wire }) else {
            others.append(note)
            return nil
        }
        let old = others[place]
        others[place] = note
        return old.epoch == note.epoch ? old.change : nil
    }

    /// The last word of the document in a listen since its last reset; `nil` if there was none.
    func word(in wire: WireTargetID, epoch: Int) -> Word? {
        var word: Word?
        visit { note in
            if note.wire == wire, note.epoch == epoch { word = note.word }
        }
        return word
    }

    /// Visits what is noted of each listen.
    func visit(_ body: (Note) -> Void) {
        if let first { body(first) }
        for note in others { body(note) }
    }
}
