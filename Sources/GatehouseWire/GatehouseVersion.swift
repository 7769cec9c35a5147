/// The version of this release. SDK, server, command and OpenAPI document share it.
public enum GatehouseVersion {
    /// Major, minor and patch number, as in `1.2.3`. CHANGELOG.md lists the changes of each version.
    public static let current = "0.7.0"
}
