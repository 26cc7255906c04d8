/// The section of access rules, whose keys are the reader's own.
extension ConfigurationTable {
    static let access = ConfigurationSection(
        "access", takesEffectAtOnce: true,
        introduction: """
            Who may do what: one rule a line, by a name of its own choosing, which a refusal and the \
            journal tell.
              NAME = "allow|deny WHO RIGHT... [WHERE] [below PATH]"
              WHO    everyone | uid N | gid N | user NAME | group NAME | unit NAME.service
                     | userUnit NAME.service uid N
              RIGHT  read | write | administer (steer queue and network, clear the cache)
              WHERE  in PROJECT[/DATABASE] | realtime [INSTANCE], and without it every database
            Users, groups and unit are the kernel's word of the process that connected, never its \
            own. `unit` is one of the system's, with all that runs below it, such as \
            user@1000.service or docker.service; what a user's own manager calls a unit counts for \
            `userUnit` alone, with that user's uid. If the unit of a process cannot be known, since \
            it ended at once, all that is denied to any unit is denied to it. A request is allowed \
            if one rule allows all of it and none denies any of it; so a query of which a part is \
            hidden, or of a collection group of which a rule allows a part, is refused, and so is a \
            listen to a node of the Realtime Database of which any part is denied. Without any \
            rule, whom the client socket lets in (its group, by its mode) reads and writes. Root and \
            the daemon's own user may always do everything; everyone may ask for the status. A rule \
            that cannot be read denies everything to everybody else. Examples:
            """,
        examples: [
            #"till = "allow unit till.service read write below shops/1""#,
            #"reports = "allow group reports read""#,
            #"pay = "deny everyone read write below staff/pay""#,
            #"carts = "allow unit till.service read write realtime shop-default-rtdb below carts""#,
        ])
}
