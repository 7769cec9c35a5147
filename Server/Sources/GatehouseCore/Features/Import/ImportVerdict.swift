import GatehouseWire

/// What is to be done about a record. Plan and import decide in the same way; the import then writes it.
struct ImportVerdict: Sendable {
    enum Decision: Sendable {
        /// A new member, with those of the record's devices that no other member has.
        case create([ImportRecord.Device])
        case unchanged(UserID)
        case extend(ImportExtension)
        /// The member came before the file.
        case adopt(UserID)
        case skip(ImportCode, holder: UserID? = nil)
    }

    let decision: Decision
    var notes: [ImportNote] = []

    init(_ decision: Decision, _ notes: [ImportNote] = []) {
        self.decision = decision
        self.notes = notes
    }
}
