/// The version of this release: SDK, server, command and OpenAPI document have the same one.
public enum GatehouseVersion {
    /// Major, minor and patch number, as in `1.2.3`; CHANGELOG.md says what each has brought.
    public static let current = "0.7.0"
}
