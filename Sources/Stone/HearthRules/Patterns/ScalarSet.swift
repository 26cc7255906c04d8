import HearthModel

/// Which characters one place of a pattern admits.
struct ScalarSet: Sendable {
    /// The characters of one category of Unicode, such as `Lu`, or of all categories with the same
    /// first letter.
    struct Category: Sendable {
        private static let all: [(name: String, category: Unicode.GeneralCategory)] = [
            ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter),
            ("Lm", .modifierLetter), ("Lo", .otherLetter), ("Mn", .nonspacingMark),
            ("Mc", .spacingMark), ("Me", .enclosingMark), ("Nd", .decimalNumber),
            ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
            ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation),
            ("Pi", .initialPunctuation), ("Pf", .finalPunctuation), ("Po", .otherPunctuation),
            ("Sm", .mathSymbol), ("Sc", .currencySymbol), ("Sk", .modifierSymbol),
            ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
            ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Co", .privateUse),
            ("Cs", .surrogate),
        ]

        private let members: [Unicode.GeneralCategory]

        /// The category of `\p{NAME}`; `nil` for one that is not known here.
        init?(name: String) {
            members = Self.all.filter { $0.name.utf8HasPrefix(name) }.map(\.category)
            if name.isEmpty || members.isEmpty { return nil }
        }

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            members.contains(scalar.properties.generalCategory)
        }
    }

    private var ranges: [ClosedRange<UInt32>] = []
    private var categories: [(category: Category, isNegated: Bool)] = []
    private var isNegated = false
    private var foldsCase = false

    /// No character.
    init() {}

    /// Characters of some ranges.
    init(_ ranges: ClosedRange<UInt32>...) {
        self.ranges = ranges
    }

    /// One character, in any case if asked.
    init(_ scalar: Unicode.Scalar, foldsCase: Bool) {
        ranges = [scalar.value...scalar.value]
        self.foldsCase = foldsCase
    }

    /// All characters.
    static let everything = ScalarSet(0...0x10FFFF)
    /// All characters but the end of a line.
    static let lineContent = ScalarSet(0...0x09, 0x0B...0x10FFFF)

    /// What a letter behind a backslash stands for; `nil` for any other letter.
    static func escape(_ letter: Unicode.Scalar) -> ScalarSet? {
        switch letter {
        case "d": ScalarSet(0x30...0x39)
        case "D": ScalarSet(0x30...0x39).inverted
        case "w": ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
        case "W": ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A).inverted
        case "s": ScalarSet(0x09...0x0A, 0x0C...0x0D, 0x20...0x20)
        case "S": ScalarSet(0x09...0x0A, 0x0C...0x0D, 0x20...0x20).inverted
        default: nil
        }
    }

    /// What `[:NAME:]` stands for; `nil` for any other name.
    static func posix(_ name: String) -> ScalarSet? {
        switch name {
        case "alnum": ScalarSet(0x30...0x39, 0x41...0x5A, 0x61...0x7A)
        case "alpha": ScalarSet(0x41...0x5A, 0x61...0x7A)
        case "ascii": ScalarSet(0x00...0x7F)
        case "blank": ScalarSet(0x09...0x09, 0x20...0x20)
        case "cntrl": ScalarSet(0x00...0x1F, 0x7F...0x7F)
        case "digit": ScalarSet(0x30...0x39)
        case "graph": ScalarSet(0x21...0x7E)
        case "lower": ScalarSet(0x61...0x7A)
        case "print": ScalarSet(0x20...0x7E)
        case "punct": ScalarSet(0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E)
        case "space": ScalarSet(0x09...0x0D, 0x20...0x20)
        case "upper": ScalarSet(0x41...0x5A)
        case "word": ScalarSet.escape("w")
        case "xdigit": ScalarSet(0x30...0x39, 0x41...0x46, 0x61...0x66)
        default: nil
        }
    }

    /// Every other character.
    var inverted: ScalarSet {
        var set = self
        set.isNegated.toggle()
        return set
    }

    /// The same characters in any case.
    var folded: ScalarSet {
        var set = self
        set.foldsCase = true
        return set
    }

    /// How many ranges a character is compared with.
    var rangeCount: Int { ranges.count }

    /// The range, if the set is one range and nothing else.
    var singleRange: ClosedRange<UInt32>? {
        ranges.count == 1 && categories.isEmpty && !isNegated ? ranges[0] : nil
    }

    /// Adds characters from one to another.
    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    /// Adds a category, or all that is not in it.
    mutating func insert(_ category: Category, isNegated: Bool) {
        categories.append((category, isNegated))
    }

    /// Adds the characters of another set.
    mutating func insert(_ other: ScalarSet) {
        if other.isNegated {
            // Only sets of ranges are inverted inside another.
            var next: UInt32 = 0
            for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if next < range.lowerBound { ranges.append(next...(range.lowerBound - 1)) }
                next = range.upperBound + 1
            }
            if next <= 0x10FFFF { ranges.append(next...0x10FFFF) }
        } else {
            ranges += other.ranges
            categories += other.categories
        }
    }

    /// Whether a character is admitted. O(ranges).
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        (holds(scalar) || foldsCase && holdsVariant(of: scalar)) != isNegated
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        for range in ranges where range.contains(scalar.value) { return true }
        for (category, isNegated) in categories where category.contains(scalar) != isNegated {
            return true
        }
        return false
    }

    private func holdsVariant(of scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            let isLetter = (0x61...0x7A).contains(scalar.value | 0x20)
            return isLetter && (Unicode.Scalar(scalar.value ^ 0x20).map(holds) ?? false)
        }
        for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
            let scalars = mapping.unicodeScalars
            if scalars.count == 1, let other = scalars.first, holds(other) { return true }
        }
        return false
    }
}
