/// The section of access rules, whose keys are the reader's own.
extension ConfigurationTable {
    static let access = ConfigurationSection(
        "access", takesEffectAtOnce: true,
        introduction: """
            Who may do what: one rule a line, under a name of your choice. A refusal and the \
            journal tell the name.
              NAME = "allow|deny WHO RIGHT... [WHERE] [below PATH]"
              WHO    everyone | uid N | gid N | user NAME | group NAME | unit NAME.service
                     | userUnit NAME.service uid N
              RIGHT  read | write | administer (steer queue and network, clear the cache; with
                     read of all of every database: back up and fork)
              WHERE  in PROJECT[/DATABASE] | realtime [INSTANCE], and without it every database
            The kernel tells users, groups and unit of the process that connected; the process \
            itself is not asked. `unit` means a unit of the system, with every process below the \
            unit, such as user@1000.service or docker.service. A unit of a user's own manager \
            counts for `userUnit` alone, with that user's uid. If a process ended too soon for its \
            unit to be known, every denial for any unit counts for the process. A request is \
            allowed if one rule allows the whole request and no rule denies a part. A query is \
            therefore refused if a part of its results is hidden, or if rules allow only a part of \
            its collection group. A listen to a node of the Realtime Database is refused if any \
            part of the node is denied. Without any rule, every user whom the client socket admits \
            (by group and mode) reads and writes. Root and the daemon's own user may always do \
            everything; everyone may ask for the status. A rule that cannot be read denies \
            everything to everybody else. Examples:
            """,
        examples: [
            #"till = "allow unit till.service read write below shops/1""#,
            #"reports = "allow group reports read""#,
            #"pay = "deny everyone read write below staff/pay""#,
            #"carts = "allow unit till.service read write realtime shop-default-rtdb below carts""#,
        ])
}
