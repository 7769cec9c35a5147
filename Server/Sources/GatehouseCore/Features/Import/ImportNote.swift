package import GatehouseWire

/// Something of a record that is left out, or was done otherwise than the record says.
package struct ImportNote: Sendable, Hashable {
    package let code: ImportCode
    /// Where in the record, such as `identities[0]`.
    package let path: String
    /// The member who has it.
    package var holder: UserID?

    init(_ code: ImportCode, at path: String, holder: UserID? = nil) {
        self.code = code
        self.path = path
        self.holder = holder
    }
}
