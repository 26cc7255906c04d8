import HearthModel

/// A JSON object that must be read to its last member: what nobody asks for is an error.
struct StoryObject {
    /// Where it stands, for errors.
    let place: String
    private var members: [String: JSONValue] = [:]

    init(_ json: JSONValue, at place: String) throws(StoryError) {
        guard let members = json.members else {
            throw StoryError(place: place, reason: "an object should stand here")
        }
        self.place = place
        for member in members { self.members[member.name] = member.value }
    }

    func fail(_ reason: String) -> StoryError { StoryError(place: place, reason: reason) }

    /// Takes a member out, if it is there.
    mutating func take(_ name: String) -> JSONValue? { members.removeValue(forKey: name) }

    /// Takes out a member that must be there.
    mutating func require(_ name: String) throws(StoryError) -> JSONValue {
        guard let value = take(name) else { throw fail("\"\(name)\" is missing") }
        return value
    }

    mutating func string(_ name: String) throws(StoryError) -> String {
        guard let value = try require(name).string else { throw fail("\"\(name)\" is no string") }
        return value
    }

    mutating func integer(_ name: String) throws(StoryError) -> Int {
        guard let value = try require(name).integer else { throw fail("\"\(name)\" is no number") }
        return Int(value)
    }

    mutating func boolean(_ name: String) throws(StoryError) -> Bool {
        guard let value = try require(name).boolean else { throw fail("\"\(name)\" is no flag") }
        return value
    }

    mutating func array(_ name: String) throws(StoryError) -> [JSONValue] {
        guard let value = try require(name).elements else { throw fail("\"\(name)\" is no list") }
        return value
    }

    mutating func object(_ name: String) throws(StoryError) -> StoryObject {
        try StoryObject(try require(name), at: "\(place).\(name)")
    }

    mutating func optionalInteger(_ name: String) throws(StoryError) -> Int? {
        members[name] == nil ? nil : try integer(name)
    }

    mutating func optionalString(_ name: String) throws(StoryError) -> String? {
        members[name] == nil ? nil : try string(name)
    }

    mutating func optionalBoolean(_ name: String) throws(StoryError) -> Bool? {
        members[name] == nil ? nil : try boolean(name)
    }

    mutating func optionalArray(_ name: String) throws(StoryError) -> [JSONValue]? {
        members[name] == nil ? nil : try array(name)
    }

    mutating func optionalObject(_ name: String) throws(StoryError) -> StoryObject? {
        members[name] == nil ? nil : try object(name)
    }

    /// The names that nobody has asked for yet, sorted.
    var rest: [String] { members.keys.sorted() }

    /// Refuses members that nobody has asked for.
    func finish() throws(StoryError) {
        guard members.isEmpty else {
            throw fail("unknown: \(rest.joined(separator: ", "))")
        }
    }
}
