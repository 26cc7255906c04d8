/// The names before functions that every source has, as in `math.abs(x)`.
enum RuleNamespaces {
    static let names: Set<String> = ["duration", "hashing", "latlng", "math", "timestamp"]
}
