/// What `/.settings` of one namespace holds besides the rules.
package struct NamespaceSettings: Hashable, Sendable {
    /// How large a write may be that does not say so itself.
    package enum WriteSizeLimit: String, CaseIterable, Hashable, Sendable {
        case small, medium, large, unlimited
    }

    /// How large a write may be that does not say so itself.
    package var defaultWriteSizeLimit = WriteSizeLimit.large
    /// Whether a write that would set off too many functions is refused. There are none here.
    package var strictTriggerValidation = true

    /// What a new database of the hosted service has.
    package init() {}
}
