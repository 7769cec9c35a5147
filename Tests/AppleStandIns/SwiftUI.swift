// The parts of Apple's SwiftUI that Examples/TitleScreenSwiftUI uses, as names and types only.
@_exported public import Foundation
public import Observation

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// What every view of SwiftUI's own is made of here.
@MainActor @preconcurrency public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError() }
}

public struct EmptyView: Primitive {
    public init() {}
}
public struct TupleView<each Content: View>: Primitive {}
public struct EitherView<First: View, Second: View>: Primitive {}
extension Optional: View, Primitive where Wrapped: View {
    public typealias Body = Never
}

@resultBuilder @MainActor public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content>
    {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> EitherView<First, Second> {
        EitherView()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> EitherView<First, Second> {
        EitherView()
    }
}

public struct HStack<Content: View>: Primitive {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}
public struct VStack<Content: View>: Primitive {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}
public struct ZStack<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct Spacer: Primitive {
    public init() {}
}
public struct Form<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct NavigationStack<Content: View>: Primitive {
    public init(@ViewBuilder root: () -> Content) {}
}
public struct Section<Parent: View, Content: View, Footer: View>: Primitive {}
extension Section where Parent == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {}
}
extension Section where Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Primitive {
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {}
}
public struct ProgressView: Primitive {
    public init() {}
}
public struct Image: Primitive {
    public init(systemName: String) {}
}
public struct Label<Title: View, Icon: View>: Primitive {
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
}
public struct LabeledContent<Label: View, Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
}
public struct Link<Label: View>: Primitive {
    public init(destination: URL, @ViewBuilder label: () -> Label) {}
}
public struct TextField<Label: View>: Primitive {
    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {}
}
public struct ButtonRole: Equatable, Sendable {
    public static let cancel = ButtonRole()
    public static let destructive = ButtonRole()
}
public struct Button<Label: View>: Primitive {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

// MARK: Text

public struct LocalizedStringKey: Equatable {
    public init(_ value: String) {}
}
public struct Text: Primitive {
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
    }
    public init(verbatim: String) {}
    public func font(_ font: Font?) -> Text { self }
    public func bold() -> Text { self }
    public func kerning(_ kerning: CGFloat) -> Text { self }
}
public struct Font: Hashable, Sendable {
    public enum Weight: Hashable, Sendable { case medium, semibold, bold, heavy }
    public enum Design: Hashable, Sendable { case rounded }
    public static let title2 = Font()
    public static let title3 = Font()
    public static let body = Font()
    public static let callout = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public static let caption2 = Font()
    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
    public func weight(_ weight: Weight) -> Font { self }
    public func bold() -> Font { self }
    public func monospaced() -> Font { self }
}

// MARK: Colours and shapes

public protocol ShapeStyle: Sendable {}
public struct Color: ShapeStyle, Primitive {
    public nonisolated static var black: Color { Color(red: 0, green: 0, blue: 0) }
    public nonisolated static var white: Color { Color(red: 1, green: 1, blue: 1) }
    public nonisolated init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public func opacity(_ opacity: Double) -> Color { self }
}
public struct HierarchicalShapeStyle: ShapeStyle {}
public struct BackgroundStyle: ShapeStyle {}
extension ShapeStyle where Self == Color {
    public static var black: Color { .black }
    public static var white: Color { .white }
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}
extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}
public enum UnitPoint: Sendable { case top, bottom }
public struct LinearGradient: ShapeStyle, Primitive {
    public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {}
}
@MainActor @preconcurrency public protocol Shape: Primitive {}
extension Shape {
    public func fill<Style: ShapeStyle>(_ style: Style) -> some View { self }
}
public struct Capsule: Shape {
    public init() {}
}
public struct RoundedRectangle: Shape {
    public init(cornerRadius: CGFloat) {}
}

// MARK: State

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) { value = wrappedValue }
    public init(initialValue: Value) { value = initialValue }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(wrappedValue: value) }
    private let value: Value
}

@propertyWrapper public struct Binding<Value> {
    public let wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@MainActor @propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
    public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public let wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding(wrappedValue: wrappedValue[keyPath: path])
    }
}

public struct EnvironmentValues {
    public var locale: Locale = .current
    public var dismiss: DismissAction { DismissAction() }
    public var openURL: OpenURLAction { OpenURLAction() }
}
public struct DismissAction {
    @MainActor public func callAsFunction() {}
}
public struct OpenURLAction {
    @MainActor public func callAsFunction(_ url: URL) {}
}
@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: path] }
    public let wrappedValue: Value
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}

// MARK: Apps

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}
@MainActor @preconcurrency public protocol Scene {}
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

// MARK: Modifiers

public enum HorizontalAlignment: Sendable { case leading, center }
public enum Alignment: Sendable { case center }
public enum TextAlignment: Sendable { case center }
public struct Edge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1)
        public static let horizontal = Set(rawValue: 2)
        public static let vertical = Set(rawValue: 4)
        public static let all = Set(rawValue: 7)
    }
}
public enum Visibility: Sendable { case automatic, visible }
public struct PresentationDetent: Hashable, Sendable {
    public static let medium = PresentationDetent()
}
public struct Animation: Sendable {
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    public func repeatForever(autoreverses: Bool = true) -> Animation { self }
}
@MainActor public func withAnimation<Result>(_ animation: Animation?, _ body: () throws -> Result) rethrows -> Result {
    try body()
}
public protocol PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}
public struct EnabledTextSelectability {}
extension EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}
public enum AccessibilityChildBehavior: Sendable { case contain }
public enum AccessibilityTraits: Sendable { case isModal }
public enum ToolbarItemPlacement: Sendable { case cancellationAction }
public struct ToolbarItem<Content: View>: Primitive {
    public init(placement: ToolbarItemPlacement, @ViewBuilder content: () -> Content) {}
}

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { self }
    public func tint(_ tint: Color?) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func padding(_ length: CGFloat) -> some View { self }
    public func frame(maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil) -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func shadow(radius: CGFloat) -> some View { self }
    public func background<Background: View>(_ background: Background) -> some View { self }
    public func overlay<Overlay: View>(alignment: Alignment = .center, @ViewBuilder content: () -> Overlay) -> some View
    {
        self
    }
    public func ignoresSafeArea() -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func textSelection(_ selectability: EnabledTextSelectability) -> some View { self }
    public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func buttonStyle<Style: PrimitiveButtonStyle>(_ style: Style) -> some View { self }
    public func animation<Value: Equatable>(_ animation: Animation?, value: Value) -> some View { self }
    public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        self
    }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
    public func navigationTitle(_ title: Text) -> some View { self }
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View { self }
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { self }
    public func confirmationDialog<Actions: View, Message: View>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> Actions, @ViewBuilder message: () -> Message
    ) -> some View { self }
    public func confirmationDialog<Actions: View, Message: View, Value>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, presenting data: Value?,
        @ViewBuilder actions: (Value) -> Actions, @ViewBuilder message: (Value) -> Message
    ) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityHidden(_ isHidden: Bool) -> some View { self }
    public func previewDisplayName(_ name: String?) -> some View { self }
}
