// The parts of Apple's SwiftUI that examples, articles and tutorials use, as names and types only.
@_exported public import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return none() }
}

/// A view that has no body of its own.
public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { return none() }
}
private func none() -> Never { while true {} }

@resultBuilder @MainActor public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Group { Group() }
    public static func buildIf(_ content: (some View)?) -> Group { Group() }
    public static func buildEither(first: some View) -> Group { Group() }
    public static func buildEither(second: some View) -> Group { Group() }
    public static func buildLimitedAvailability(_ content: some View) -> Group { Group() }
}

public struct EmptyView: PrimitiveView {
    public init() {}
}
public struct Group: PrimitiveView {
    init() {}
    public init(@ViewBuilder content: () -> some View) {}
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}
public struct Text: PrimitiveView {
    nonisolated public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload nonisolated public init(_ text: some StringProtocol) {}
    nonisolated public init(verbatim text: String) {}
    nonisolated public init(_ date: Date, style: DateStyle) {}
    public struct DateStyle: Sendable {
        public static let date = DateStyle()
        public static let time = DateStyle()
        public static let relative = DateStyle()
    }
}
public struct Label: PrimitiveView {
    public init(_ title: LocalizedStringKey, systemImage: String) {}
}
public struct Image: PrimitiveView {
    public init(_ name: String) {}
    public init(systemName: String) {}
}
public struct Spacer: PrimitiveView {
    public init() {}
}
public struct Divider: PrimitiveView {
    public init() {}
}
public struct ProgressView: PrimitiveView {
    public init() {}
    public init(_ title: LocalizedStringKey) {}
}
public struct ButtonRole: Sendable {
    public static let cancel = ButtonRole()
    public static let destructive = ButtonRole()
}
public struct Button: PrimitiveView {
    public init(_ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
    public init(
        role: ButtonRole? = nil, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> some View
    ) {}
}
public struct Link: PrimitiveView {
    public init(_ title: LocalizedStringKey, destination: URL) {}
}
public struct TextField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}
public struct SecureField: PrimitiveView {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom }
public struct VStack: PrimitiveView {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> some View
    ) {}
}
public struct HStack: PrimitiveView {
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> some View
    ) {}
}
public struct ZStack: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}
public struct Form: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}
public struct NavigationStack: PrimitiveView {
    public init(@ViewBuilder root: () -> some View) {}
}
public struct List: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> some View
    ) where Data.Element: Identifiable {}
}
public struct Section: PrimitiveView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> some View) {}
    public init(@ViewBuilder content: () -> some View) {}
}
public struct ForEach: PrimitiveView {
    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> some View
    ) where Data.Element: Identifiable {}
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> some View
    ) {}
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { box = Box(wrappedValue) }
    public init(initialValue: Value) { box = Box(initialValue) }
    private final class Box { var value: Value; init(_ value: Value) { self.value = value } }
    private let box: Box
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }
    public var projectedValue: Binding<Value> { Binding(get: { wrappedValue }, set: { _ in }) }
}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { value = get }
    private let value: () -> Value
    public var wrappedValue: Value {
        get { value() }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding<Value> { self }
    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        Binding<Member>(get: { wrappedValue[keyPath: path] }, set: { _ in })
    }
}
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(_ value: Value) { wrappedValue = value }
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public subscript<Member>(dynamicMember path: ReferenceWritableKeyPath<Value, Member>) -> Binding<Member> {
        let value = wrappedValue
        return Binding<Member>(get: { value[keyPath: path] }, set: { _ in })
    }
}
@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) { read = { EnvironmentValues()[keyPath: path] } }
    private let read: () -> Value
    public var wrappedValue: Value { read() }
}
public struct EnvironmentValues {
    public var openURL: OpenURLAction { OpenURLAction() }
    public var dismiss: DismissAction { DismissAction() }
    public var scenePhase: ScenePhase { .active }
}
@MainActor public struct OpenURLAction {
    nonisolated init() {}
    public func callAsFunction(_ url: URL) {}
}
@MainActor public struct DismissAction {
    nonisolated init() {}
    public func callAsFunction() {}
}
public enum ScenePhase: Sendable { case background, inactive, active }

public struct Font: Sendable {
    public static let title = Font()
    public static let headline = Font()
    public static let body = Font()
    public static let footnote = Font()
}
public struct ButtonStyleValue: Sendable {
    public static let borderedProminent = ButtonStyleValue()
    public static let bordered = ButtonStyleValue()
}

extension View {
    public func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View { self }
    public func task<ID: Equatable>(
        id: ID, _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public func onChange<Value: Equatable>(
        of value: Value, _ action: @escaping (Value, Value) -> Void
    ) -> some View { self }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func alert(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func alert<Value>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting value: Value?,
        @ViewBuilder actions: (Value) -> some View, @ViewBuilder message: (Value) -> some View
    ) -> some View { self }
    public func confirmationDialog<Value>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting value: Value?,
        @ViewBuilder actions: (Value) -> some View, @ViewBuilder message: (Value) -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { self }
    public func sheet(isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func padding(_ length: CGFloat? = nil) -> some View { self }
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
    public func buttonStyle(_ style: ButtonStyleValue) -> some View { self }
    public func textSelection(_ isEnabled: TextSelection) -> some View { self }
    public func textContentType(_ type: TextContentType?) -> some View { self }
    public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func accessibilityLabel(_ label: LocalizedStringKey) -> some View { self }
}
public struct TextSelection: Sendable { public static let enabled = TextSelection() }
public struct TextContentType: Sendable { public static let password = TextContentType() }

@MainActor @preconcurrency public protocol Scene {}
public struct WindowGroup: Scene {
    public init(@ViewBuilder content: () -> some View) {}
}
@resultBuilder @MainActor public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}
